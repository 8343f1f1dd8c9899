/** The minor versions of Kubernetes 1 that a cluster can emulate. */
export const kubernetesMinors = [33, 34, 35, 36, 37] as const;

export type KubernetesMinor = (typeof kubernetesMinors)[number];

/** The default version: the newest version whose kinds are all implemented here. */
export const defaultMinor: KubernetesMinor = 36;

/**
 * Parses "1.34", "v1.34" or "1.34.2"; the patch version is ignored.
 * @throws Error that lists the versions.
 */
export function parseKubernetesVersion(text: string): KubernetesMinor {
  const [, minor] = /^v?1\.(\d{1,3})(?:\.\d{1,3})?$/.exec(text) ?? [];
  const found = kubernetesMinors.find((each) => each === Number(minor));
  if (found !== undefined) return found;
  const versions = kubernetesMinors.map((each) => `1.${each}`).join(", ");
  throw new Error(`${JSON.stringify(text)} must be one of the versions ${versions}.`);
}

/** The version as components report it: "v1.34.0+kintsugi". */
export function gitVersionOf(minor: KubernetesMinor): string {
  return `v1.${minor}.0+kintsugi`;
}

/** The versions and the default for help texts: "1.33 to 1.37 (default: 1.36)". */
export const kubernetesVersionsText = `1.${kubernetesMinors[0]} to 1.${kubernetesMinors.at(-1)} (default: 1.${defaultMinor})`;
