import { constants } from "node:fs";
import { chmod, lchown, lstat, mkdir, open, readdir, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { FileKind, Files } from "./files.ts";

/** The machine's file system. */
export const nodeFiles: Files = {
  async makeDirectory(path, mode = 0o750) {
    await mkdir(path, { recursive: true });
    await chmod(path, mode);
  },

  async write(path, content, mode = 0o644) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content, {
      mode,
      flag: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW,
    });
    await chmod(path, mode);
  },

  async readTail(path, bytesMax) {
    const file = await openRegular(path);
    if (!file) return undefined;
    try {
      const { size } = await file.stat();
      const length = Math.min(size, bytesMax);
      const buffer = Buffer.alloc(length);
      const { bytesRead } = await file.read(buffer, 0, length, size - length);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
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

  async remove(path) {
    await rm(path, { recursive: true, force: true });
  },

  async kindOf(path) {
    try {
      return kindFrom(await stat(path));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },

  async link(target, linkPath) {
    const aside = `${linkPath}.new`;
    await rm(aside, { force: true });
    await symlink(target, aside);
    await rename(aside, linkPath);
  },

  async grantGroup(path, groupId) {
    const info = await lstat(path);
    await lchown(path, -1, groupId);
    if (info.isSymbolicLink()) return;
    await chmod(path, info.isDirectory() ? info.mode | 0o2770 : info.mode | 0o660);
    if (info.isDirectory()) for (const name of await readdir(path)) await this.grantGroup(join(path, name), groupId);
  },
};

/** Opens without following a link and without waiting on a pipe; undefined unless it is a regular file. */
export async function openRegular(path: string) {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    return undefined;
  } catch (error) {
    if (isMissing(error) || hasCode(error, "ELOOP") || hasCode(error, "ENXIO")) return undefined;
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

function isMissing(error: unknown): boolean {
  return hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR");
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
