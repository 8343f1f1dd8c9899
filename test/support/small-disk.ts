import { mkdtemp, rm, rmdir, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mustRun } from "./run-program.ts";

const mebibyte = 1024 * 1024;

/**
 * A separate file system that can be filled without filling a disk of the host, because it is in
 * memory.
 */
export interface SmallDisk extends AsyncDisposable {
  /**
   * Leaves only this amount of free space, by an unused file. @throws Error if less space is
   * already free.
   */
  leaveFree(mebibytes: number): Promise<void>;
  /** Removes that file. */
  giveBack(): Promise<void>;
  freeMebibytes(): Promise<number>;
}

/** Moves the contents of `directory`, which must not be in use, to a file system of this size. */
export async function moveToSmallDisk(directory: string, { mebibytes }: { mebibytes: number }): Promise<SmallDisk> {
  const disk = await mkdtemp(join(tmpdir(), "kintsugi-small-disk-"));
  await mustRun("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m,mode=0755`, "kintsugi-small-disk", disk]);
  try {
    await mustRun("cp", ["--archive", `${directory}/.`, disk]);
    await mustRun("mount", ["--bind", disk, directory]);
  } finally {
    await mustRun("umount", [disk]);
    await rmdir(disk);
  }
  const ballast = join(directory, "ballast");
  const freeMebibytes = async () => {
    const { bavail, bsize } = await statfs(directory);
    return (bavail * bsize) / mebibyte;
  };
  return {
    freeMebibytes,
    async leaveFree(wanted) {
      const surplus = Math.floor((await freeMebibytes()) - wanted);
      if (surplus < 0) throw new Error(`${directory} has ${-surplus} MiB less than ${wanted} free`);
      await writeFile(ballast, Buffer.alloc(surplus * mebibyte, 1));
    },
    giveBack: () => rm(ballast, { force: true }),
    async [Symbol.asyncDispose]() {
      // A cluster that was taken down has unmounted all mounts below its directories.
      await mustRun("umount", ["--lazy", directory]).catch(() => {});
    },
  };
}
