import type { Files } from "./files.ts";
import type { Mounts } from "./mounts.ts";

/**
 * Removes a directory of the kubelet's with everything in it, except mounted files: below a bind
 * mount lie files of other owners.
 * @throws Error while something is still mounted; then nothing is removed.
 */
export async function removeWithMounts(deps: { files: Files; mounts: Mounts }, directory: string): Promise<void> {
  const { files, mounts } = deps;
  const points = await mounts.below(directory);
  for (const point of points) await mounts.unmount(point);
  // The table of a full node's mounts takes milliseconds to read.
  const left = points.length === 0 ? [] : await mounts.below(directory);
  if (left.length > 0) throw new Error(`${directory} is not removed: ${left[0]} is still mounted`);
  await files.remove(directory);
}
