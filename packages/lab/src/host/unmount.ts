import { mountPoints, runCommand } from "@kintsugi/daemon";

/**
 * A node with 110 pods has about 450 mounts; a process for each would take seconds, and the length
 * of an argument list is limited.
 */
const unmountsAtOnceMax = 100;

/**
 * Unmounts everything below the directories, deepest first; busy mounts are detached. Repeats until
 * no mount is left, because the mount table may omit mounts while other programs change the table,
 * and a remaining mount makes the removal of its directory fail.
 */
export async function unmountBelow(directories: readonly string[]): Promise<void> {
  let fewest = Number.POSITIVE_INFINITY;
  let failure: unknown;
  for (;;) {
    const mounts = await mountPoints();
    const ours = mounts.filter((point) => directories.some((directory) => point.startsWith(`${directory}/`)));
    if (ours.length === 0) return;
    if (ours.length >= fewest)
      throw new Error(`these mounts cannot be removed: ${ours.join(", ")}`, { cause: failure });
    fewest = ours.length;
    const deepestFirst = ours.sort((a, b) => b.length - a.length);
    // A mount that was removed in the meantime makes the whole call fail, and the next pass
    // unmounts the rest.
    await runCommand("umount", ["--lazy", ...deepestFirst.slice(0, unmountsAtOnceMax)]).catch((error: unknown) => {
      failure = error;
    });
  }
}
