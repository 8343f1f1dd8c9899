import { existsSync } from "node:fs";
import type { Random } from "@kintsugi/clock";
import { removeTree, writeWhole } from "@kintsugi/daemon";
import type { NodePaths } from "../cluster/cluster-paths.ts";
import { unmountBelow } from "./unmount.ts";

/**
 * Numbers a boot of a simulated machine, which shares its host's kernel and the kernel's boot
 * number. The machine's own number is therefore in a file in a directory that a boot empties.
 */
export async function ensureBootId({ random }: { random: Random }, file: string): Promise<void> {
  if (!existsSync(file)) await writeWhole(file, `${random.uuid()}\n`);
}

/**
 * Removes from a node whose processes have all ended everything that a boot removes: its mounts,
 * sockets and memory.
 */
export async function forgetBoot({ run, kubeletRoot, kubeletMemory }: NodePaths): Promise<void> {
  await unmountBelow([run, kubeletRoot]);
  for (const directory of [run, kubeletMemory]) await removeTree(directory);
}
