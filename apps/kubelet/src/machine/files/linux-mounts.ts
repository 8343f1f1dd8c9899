import { execFile } from "node:child_process";
import { mkdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Mounts } from "./mounts.ts";
import { openInside, pathOf } from "./open-inside.ts";

/**
 * Time limit of a mount, which is a system call. A mount that takes longer hangs on a file system
 * that does not answer.
 */
const commandTimeoutMs = 20_000;

/**
 * The machine's mounts. Node cannot mount, so this starts `mount` and `umount` without a shell.
 * Their arguments do not come from pods (a path inside a volume is passed to them as a descriptor).
 */
export const linuxMounts: Mounts = {
  async below(directory) {
    const canonical = await canonicalPath(directory);
    const points = mountPointsIn(await readFile("/proc/self/mountinfo", "utf8"));
    return points
      .filter((point) => point === canonical || point.startsWith(`${canonical}/`))
      .reverse()
      .sort((a, b) => b.length - a.length);
  },

  async mountMemory(directory, sizeBytes) {
    const size = `size=${Math.floor(sizeBytes)}`;
    await run("mount", ["--no-canonicalize", "-t", "tmpfs", "-o", size, "tmpfs", directory]);
  },

  async bindInside({ root, inside, target }) {
    const source = await openInside(root, inside);
    try {
      const wanted = await source.stat();
      if ((await this.below(target)).length > 0) {
        const present = await stat(target);
        if (present.dev === wanted.dev && present.ino === wanted.ino) return;
        await this.unmount(target);
      }
      await mkdir(wanted.isDirectory() ? target : dirname(target), { recursive: true, mode: 0o750 });
      if (!wanted.isDirectory()) await writeFile(target, "", { flag: "a" });
      await run("mount", ["--no-canonicalize", "--bind", pathOf(source), target]);
    } finally {
      await source.close();
    }
  },

  async unmount(path) {
    try {
      await run("umount", ["--no-canonicalize", path]);
    } catch {
      // Lazy: a busy mount is detached from the tree immediately, and is removed when its last user
      // ends.
      if ((await this.below(path)).length > 0) await run("umount", ["--no-canonicalize", "--lazy", path]);
    }
  },
};

/**
 * Returns the path as the kernel names it in mountinfo. A missing path, at which nothing is
 * mounted, is returned unchanged.
 */
async function canonicalPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return path;
    throw error;
  }
}

/** Lists mount points in the order in which they were mounted (proc_pid_mountinfo(5)). */
function mountPointsIn(mountinfo: string): string[] {
  return mountinfo
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "")
    .filter((point) => point !== "")
    .map((point) => point.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))));
}

function run(program: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(program, [...args], { timeout: commandTimeoutMs }, (error, _stdout, stderr) => {
      if (!error) return resolve();
      reject(new Error(`${program} ${args.join(" ")}: ${stderr.trim() || error.message}`, { cause: error }));
    });
  });
}
