import type { Image } from "@kintsugi/cri";

/**
 * A pull records a digest and an import does not, so the registry of an imported image is unknown.
 */
export function isImported({ repoDigests }: Image): boolean {
  return repoDigests.length === 0;
}
