import type { Image } from "@kintsugi/cri";

/** A pull makes a digest known, and an import does not: no registry is known that has the image. */
export function isImported({ repoDigests }: Image): boolean {
  return repoDigests.length === 0;
}
