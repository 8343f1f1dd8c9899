/** The minor versions of Kubernetes 1 that a cluster can be made like. */
export const kubernetesMinors = [33, 34, 35, 36] as const;

export type KubernetesMinor = (typeof kubernetesMinors)[number];

/** The version that is reported where none is chosen. */
export const defaultMinor: KubernetesMinor = 33;

/**
 * Reads "1.34", "v1.34" or "1.34.2"; the patch has no meaning here.
 * @throws Error that names the versions.
 */
export function parseKubernetesVersion(text: string): KubernetesMinor {
  const [, minor] = /^v?1\.(\d{1,3})(?:\.\d{1,3})?$/.exec(text) ?? [];
  const found = kubernetesMinors.find((each) => each === Number(minor));
  if (found !== undefined) return found;
  const versions = kubernetesMinors.map((each) => `1.${each}`).join(", ");
  throw new Error(`${JSON.stringify(text)} is none of the versions ${versions}.`);
}

/** The version as components report it: "v1.34.0+kintsugi". */
export function gitVersionOf(minor: KubernetesMinor): string {
  return `v1.${minor}.${minor === defaultMinor ? 1 : 0}+kintsugi`;
}
