import type { Files } from "./files.ts";
import type { Mounts } from "./mounts.ts";

/**
 * Removes one of the kubelet's directories with its content, except mounted files, because the
 * files below a bind mount belong to other owners.
 * @throws Error while something is still mounted; nothing is removed then.
 */
export async function removeWithMounts(deps: { files: Files; mounts: Mounts }, directory: string): Promise<void> {
  const { files, mounts } = deps;
  const points = await mounts.below(directory);
  for (const point of points) await mounts.unmount(point);
  // Reading the mount table of a full node takes milliseconds.
  const left = points.length === 0 ? [] : await mounts.below(directory);
  if (left.length > 0) throw new Error(`${directory} is not removed: ${left[0]} is still mounted`);
  await files.remove(directory);
}
