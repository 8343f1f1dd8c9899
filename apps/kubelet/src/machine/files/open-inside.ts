import { constants } from "node:fs";
import { chmod, chown, type FileHandle, mkdir, open, realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import { nameOnly } from "@kintsugi/daemon";
import { UnsafePathError } from "./mounts.ts";

// A path inside a volume is opened safely while a container may be rewriting the volume
// (subpath_linux.go doSafeOpen):
//
//   realpath(volume/inside)     the current target, which must be inside the volume. A link may
//                               have been replaced since, so
//   open(volume)                the walk starts from a descriptor of the volume itself,
//   open(fd/a), open(fd/a/b)    continues by one name at a time from the previous descriptor, and
//                               does not follow links.
//
// Node has no openat(2). `/proc/self/fd/N/name` is equivalent: the kernel uses the descriptor's own
// file, even if its path has changed, and O_NOFOLLOW applies to the single name after it.

const directoryOnly = nameOnly | constants.O_DIRECTORY;

/**
 * Limit of the depth of a path, because each level temporarily uses a descriptor. No useful path is
 * deeper.
 */
const depthMax = 100;

/**
 * Opens the path `inside` below `root`, creating missing directories. The descriptor cannot be
 * read; its file is reached through `/proc/<pid>/fd/<fd>`.
 * @throws UnsafePathError when the path leads, or is made to lead, out of the root.
 */
export async function openInside(root: string, inside: string): Promise<FileHandle> {
  const base = await realpath(root);
  await makeMissing(base, namesOf(inside));
  const resolved = await realpath(join(base, inside));
  return walk(base, namesBelow(base, resolved), onward);
}

/**
 * Opens the path `inside` below `root` as `openInside` does, without creating anything.
 * @throws UnsafePathError when the path leads out of the root; Error when it is missing.
 */
export async function openPresent(root: string, inside: string): Promise<FileHandle> {
  const base = await realpath(root);
  const resolved = await realpath(join(base, ...namesOf(inside)));
  return walk(base, namesBelow(base, resolved), onward);
}

/**
 * Opens the directory `path` below `root`, without following links.
 * @throws Error when a name is missing, is a link, or is not a directory.
 */
export async function openDirectory(root: string, path: string): Promise<FileHandle> {
  const names = namesOf(relative(root, path));
  return walk(await realpath(root), names, (parentPath, name) => open(join(parentPath, name), directoryOnly));
}

/**
 * Creates the missing directories of `names` with the volume's mode, in the deepest directory that
 * exists.
 */
async function makeMissing(base: string, names: readonly string[]): Promise<void> {
  for (let depth = names.length; depth >= 0; depth--) {
    const present = await realpath(join(base, ...names.slice(0, depth))).catch(missingIsUndefined);
    if (present === undefined) continue;
    if (depth === names.length) return;
    const parents = namesBelow(base, present);
    const made = await walk(base, [...parents, ...names.slice(depth)], (parent, name) =>
      makeAndOpen(parent, name, base),
    );
    return made.close();
  }
}

/** Opens the next name from a descriptor. */
type Step = (parentPath: string, name: string) => Promise<FileHandle>;

async function walk(base: string, names: readonly string[], step: Step): Promise<FileHandle> {
  if (names.length > depthMax) throw new UnsafePathError(`${names.join("/")} has more than ${depthMax} levels`);
  let current = await open(base, directoryOnly);
  for (const name of names) {
    try {
      const next = await step(pathOf(current), name);
      await current.close();
      current = next;
    } catch (error) {
      await current.close();
      throw error;
    }
  }
  return current;
}

const onward: Step = async (parentPath, name) => {
  const opened = await open(join(parentPath, name), nameOnly);
  // O_PATH with O_NOFOLLOW opens a link itself instead of rejecting it.
  if (!(await opened.stat()).isSymbolicLink()) return opened;
  await opened.close();
  throw new UnsafePathError(`${name} is a link without a target, or has just been replaced by a link`);
};

async function makeAndOpen(parentPath: string, name: string, base: string): Promise<FileHandle> {
  const existing = await onward(parentPath, name).catch(missingIsUndefined);
  if (existing) return existing;
  await mkdir(join(parentPath, name)).catch(presentIsFine);
  const made = await open(join(parentPath, name), directoryOnly);
  const volume = await open(base, directoryOnly);
  try {
    // The mode of mkdir is not sufficient, because the process's umask would remove bits, and a
    // group may have to write here.
    const { mode, gid } = await volume.stat();
    await chown(pathOf(made), -1, gid);
    await chmod(pathOf(made), mode & 0o7777);
    return made;
  } catch (error) {
    await made.close();
    throw error;
  } finally {
    await volume.close();
  }
}

/** The path to the file of a descriptor, which other processes can use while it is open. */
export function pathOf(handle: FileHandle): string {
  return `/proc/${process.pid}/fd/${handle.fd}`;
}

function namesOf(inside: string): string[] {
  const names = inside.split("/").filter((name) => name !== "" && name !== ".");
  if (inside.startsWith("/")) throw new UnsafePathError(`${inside} must not be an absolute path`);
  if (names.includes("..")) throw new UnsafePathError(`${inside} must not contain '..'`);
  return names;
}

function namesBelow(base: string, resolved: string): string[] {
  const names = relative(base, resolved).split("/");
  if (names[0] === "..") throw new UnsafePathError(`${resolved} is not inside ${base}`);
  return names.filter((name) => name !== "");
}

function missingIsUndefined(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
  throw error;
}

function presentIsFine(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
}
