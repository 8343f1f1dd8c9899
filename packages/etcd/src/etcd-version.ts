/**
 * Faults of older versions that can lose data are mended in this one: etcd's issues 17780 and 18089
 * are open in 3.4.23, for example.
 */
const oldest = [3, 5, 21] as const;

/** Returns the reason why a version of etcd is for tests and labs only; undefined for others. */
export function etcdVersionFault(version: string): string | undefined {
  const parts = /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  if (parts === undefined) return `etcd has the version ${JSON.stringify(version)}, which is not known`;
  const at = oldest.findIndex((part, i) => part !== parts[i]);
  if (at < 0 || (parts[at] ?? 0) > (oldest[at] ?? 0)) return undefined;
  return `etcd ${version} is for tests and labs: it has faults that can lose data; run ${oldest.join(".")} or newer`;
}
