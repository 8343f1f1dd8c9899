import { closeSync, constants, createWriteStream, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import {
  type FileHandle,
  lchown,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { hasCode, isMissing, removeTree, treeUsage } from "@kintsugi/daemon";
import type { FileKind, Files } from "./files.ts";
import { grantGroup } from "./grant-group.ts";
import { openPresent, pathOf } from "./open-inside.ts";

/**
 * The machine's file system. A pod's start creates some twenty files, so each avoided call saves a
 * turn of the thread pool.
 */
export const nodeFiles: Files = {
  async makeDirectory(path, mode = 0o750) {
    const made = await mkdir(path, { recursive: true });
    if (made === undefined || (directoryMode & ~umask()) !== mode) await setMode(path, mode);
  },

  async write(path, content, mode = 0o644) {
    const { file, isNew } = await openToWrite(path, mode);
    try {
      if (content.length > 0) await file.writeFile(content);
      if (!isNew || (mode & umask()) !== 0) await file.chmod(mode);
    } finally {
      await file.close();
    }
  },

  async create(path, mode) {
    await writeFile(path, "", { mode, flag: "a" });
  },

  readTail(path, bytesMax) {
    let file: number | undefined;
    try {
      file = openSync(path, carefully);
      const info = fstatSync(file);
      if (!info.isFile()) return undefined;
      const length = Math.min(info.size, bytesMax);
      const buffer = Buffer.alloc(length);
      return buffer.subarray(0, readSync(file, buffer, 0, length, info.size - length));
    } catch (error) {
      if (isNoRegular(error)) return undefined;
      throw error;
    } finally {
      if (file !== undefined) closeSync(file);
    }
  },

  async readInside(root, inside, bytesMax) {
    const name = await openPresent(root, inside).catch(missingIsUndefined);
    if (name === undefined) return undefined;
    try {
      if (!(await name.stat()).isFile()) return undefined;
      const file = await open(pathOf(name), constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        return await readUpTo(file, bytesMax);
      } finally {
        await file.close();
      }
    } finally {
      await name.close();
    }
  },

  async list(path) {
    try {
      return (await readdir(path)).sort();
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  },

  remove: removeTree,

  async kindOf(path) {
    try {
      return kindFrom(await stat(path));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },

  async link(target, linkPath) {
    try {
      return await symlink(target, linkPath);
    } catch (error) {
      if (!hasCode(error, "EEXIST")) throw error;
    }
    const aside = `${linkPath}.new`;
    await rm(aside, { force: true });
    await symlink(target, aside);
    await rename(aside, linkPath);
  },

  rename,

  async giveTo(path, userId) {
    await lchown(path, userId, -1);
  },

  grantGroup,

  sizes: (paths) => Promise.all(paths.map((path) => sizeOf(path))),

  async compress(path) {
    const aside = `${path}.tmp`;
    const source = await openRegular(path);
    if (!source) return;
    const { mode } = await source.stat();
    await rm(aside, { force: true });
    await pipeline(source.createReadStream(), createGzip(), createWriteStream(aside, { flags: "wx", mode }));
    await rename(aside, `${path}.gz`);
    await rm(path, { force: true });
  },

  usage: treeUsage,
};

async function sizeOf(path: string): Promise<number | Error | undefined> {
  try {
    const info = await lstat(path).catch(missingIsUndefined);
    return info?.isFile() ? info.size : undefined;
  } catch (error) {
    return error as Error;
  }
}

/**
 * The directory's mode is set by a descriptor, so that a link that has replaced the directory is
 * not followed.
 */
async function setMode(path: string, mode: number): Promise<void> {
  const directory = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    await directory.chmod(mode);
  } finally {
    await directory.close();
  }
}

/** The mode of new directories unless the caller gives another mode; mkdir(2)'s default. */
const directoryMode = 0o777;

let knownUmask: number | undefined;

/**
 * Returns the bits that the kernel removes from the mode of this process's files. umask(2) could
 * not read them without changing them for a moment.
 */
function umask(): number {
  knownUmask ??= parseInt(/^Umask:\s*([0-7]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "777", 8);
  return knownUmask;
}

/**
 * Creates an empty file, normally a new one, or keeps the existing file. Its directory is created
 * first if it is missing.
 */
async function openToWrite(path: string, mode: number): Promise<{ file: FileHandle; isNew: boolean }> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW;
  try {
    return { file: await open(path, flags | constants.O_EXCL, mode), isNew: true };
  } catch (error) {
    if (hasCode(error, "EEXIST")) return { file: await open(path, flags | constants.O_TRUNC, mode), isNew: false };
    if (!hasCode(error, "ENOENT")) throw error;
  }
  await mkdir(dirname(path), { recursive: true });
  return { file: await open(path, flags | constants.O_TRUNC, mode), isNew: false };
}

/** A writer may be changing the file's size in the meantime. */
async function readUpTo(file: FileHandle, bytesMax: number): Promise<Uint8Array> {
  const buffer = Buffer.alloc(Math.min((await file.stat()).size, bytesMax));
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

function missingIsUndefined(error: unknown): undefined {
  if (isMissing(error)) return undefined;
  throw error;
}

/** The flags neither follow a link nor block on a pipe. */
const carefully = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function isNoRegular(error: unknown): boolean {
  return isMissing(error) || hasCode(error, "ELOOP") || hasCode(error, "ENXIO");
}

/**
 * Opens without following a link and without blocking on a pipe; undefined unless it is a regular
 * file.
 */
export async function openRegular(path: string) {
  try {
    const file = await open(path, carefully);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    return undefined;
  } catch (error) {
    if (isNoRegular(error)) return undefined;
    throw error;
  }
}

function kindFrom(info: Awaited<ReturnType<typeof stat>>): FileKind {
  if (info.isDirectory()) return "directory";
  if (info.isFile()) return "file";
  if (info.isSocket()) return "socket";
  if (info.isCharacterDevice()) return "character-device";
  return info.isBlockDevice() ? "block-device" : "other";
}
