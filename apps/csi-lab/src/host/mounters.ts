import { readdir, readFile, readlink } from "node:fs/promises";

/**
 * Returns a process of another mount namespace in which a directory, or a part of it, is mounted;
 * undefined when there is none. A container has such a namespace, and keeps its mounts in it after
 * the node has unmounted its own.
 * @param directory a suffix of the directory's path that no other directory has: "/disks/vol-1".
 */
export async function findMounter(directory: string): Promise<number | undefined> {
  const seen = new Set([await namespaceOf("self")]);
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const namespace = await namespaceOf(pid);
    if (namespace === undefined || seen.has(namespace)) continue;
    seen.add(namespace);
    const table = await readFile(`/proc/${pid}/mountinfo`, "utf8").catch(() => "");
    if (hasMounted(table, directory)) return Number(pid);
  }
  return undefined;
}

/** A process may end at any moment. */
function namespaceOf(pid: string): Promise<string | undefined> {
  return readlink(`/proc/${pid}/ns/mnt`).catch(() => undefined);
}

/** The fourth field is the mounted part of its file system (proc_pid_mountinfo(5)). */
function hasMounted(mountinfo: string, directory: string): boolean {
  return mountinfo.split("\n").some((line) => {
    const root = line.split(" ")[3] ?? "";
    return root.endsWith(directory) || root.includes(`${directory}/`);
  });
}
