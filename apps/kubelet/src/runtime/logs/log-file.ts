import type { FileHandle } from "node:fs/promises";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join, normalize } from "node:path";
import { openRegular } from "../../machine/files/node-files.ts";
import { openDirectory, pathOf } from "../../machine/files/open-inside.ts";

/** A log that is being read. Its path may already belong to another file. */
export interface LogFile {
  /** Bytes at `offset`; empty at the end. */
  read(offset: number, length: number): Promise<Buffer>;
  size(): Promise<number>;
  /** Reports whether the path now leads to another file, because the log has been rotated. */
  isReplaced(): Promise<boolean>;
  close(): Promise<void>;
}

/** Opens logs, which are in memory in tests. */
export interface LogFiles {
  open(path: string): Promise<LogFile | undefined>;
  /** Lists the rotated files of a log that are not compressed, oldest first. */
  rotated(path: string): Promise<string[]>;
}

/**
 * Opens only logs below `root`. A path that leads out of `root`, a symbolic link below `root`, and
 * anything but a regular file count as missing. A pod that can write to the log directory must not
 * make the kubelet read other files for it.
 */
export function logFilesBelow(root: string): LogFiles {
  return {
    async open(path) {
      if (normalize(path) !== path || !path.startsWith(`${normalize(root)}/`)) return undefined;
      const file = await openBelow(root, path);
      return file && overHandle(file, path);
    },
    async rotated(path) {
      const names = await readdir(dirname(path)).catch(() => []);
      const rotated = names.filter((name) => name.startsWith(`${basename(path)}.`) && !/\.(gz|tmp)$/.test(name));
      return rotated.toSorted().map((name) => join(dirname(path), name));
    },
  };
}

/**
 * The file is opened by descriptors, because any directory may be replaced by a link in the
 * meantime.
 */
async function openBelow(root: string, path: string): Promise<FileHandle | undefined> {
  const directory = await openDirectory(root, dirname(path)).catch(() => undefined);
  if (directory === undefined) return undefined;
  try {
    return await openRegular(join(pathOf(directory), basename(path)));
  } finally {
    await directory.close();
  }
}

function overHandle(file: FileHandle, path: string): LogFile {
  return {
    async read(offset, length) {
      const buffer = Buffer.allocUnsafe(length);
      const { bytesRead } = await file.read(buffer, 0, length, offset);
      return buffer.subarray(0, bytesRead);
    },
    size: async () => (await file.stat()).size,
    async isReplaced() {
      const own = await file.stat();
      const named = await stat(path).catch(() => undefined);
      return named !== undefined && named.ino !== own.ino;
    },
    close: () => file.close(),
  };
}
