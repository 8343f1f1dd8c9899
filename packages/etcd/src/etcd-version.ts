/**
 * Faults of older versions that can lose data are fixed in this version: etcd's issues 17780 and
 * 18089 are open in 3.4.23, for example.
 */
const oldest = [3, 5, 21] as const;

/**
 * Watches are sent in fragments from this version on; older versions ignore the request for
 * fragments.
 */
const oldestAtAll = [3, 4, 0] as const;

/**
 * Returns the reason why a version of etcd cannot be used for a store; undefined for other
 * versions.
 */
export function etcdVersionRefusal(version: string): string | undefined {
  const parts = partsOf(version);
  if (parts === undefined || !isOlder(parts, oldestAtAll)) return undefined;
  return `etcd ${version} is too old: it cannot send large changes in parts; run ${oldest.join(".")} or newer`;
}

/**
 * Returns the reason why a version of etcd is suitable only for tests and labs; undefined for other
 * versions.
 */
export function etcdVersionFault(version: string): string | undefined {
  const parts = partsOf(version);
  if (parts === undefined) return `etcd has the version ${JSON.stringify(version)}, which is unknown`;
  if (!isOlder(parts, oldest)) return undefined;
  return `etcd ${version} is for tests and labs: it has faults that can lose data; run ${oldest.join(".")} or newer`;
}

function partsOf(version: string): readonly number[] | undefined {
  return /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
}

function isOlder(parts: readonly number[], than: readonly number[]): boolean {
  const at = than.findIndex((part, i) => part !== parts[i]);
  return at >= 0 && (parts[at] ?? 0) < (than[at] ?? 0);
}
