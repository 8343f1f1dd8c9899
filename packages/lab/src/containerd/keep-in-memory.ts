import { mkdir, readdir, statfs } from "node:fs/promises";
import { runCommand } from "@kintsugi/daemon";

/** f_type of a tmpfs (statfs(2)). */
const tmpfsMagic = 0x0102_1994;

/**
 * Mounts a tmpfs at the directory, like /run on a booted machine, for data that does not survive a
 * reboot, and is created and removed with each container. A host or container may have /run on its
 * disk, where ext4 searches for an inode for each file: up to a fifth of the time of a pod's start,
 * if many files were deleted lately. A directory with content is not changed, because a containerd
 * may be using it.
 */
export async function keepInMemory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o711 });
  if ((await statfs(directory)).type === tmpfsMagic) return;
  if ((await readdir(directory)).length > 0) return;
  await runCommand("mount", ["-t", "tmpfs", "-o", "mode=0711,nosuid,nodev", "kintsugi", directory]);
}
