import type { Stats } from "node:fs";
import { chmod, chown, lchown, open } from "node:fs/promises";
import { nameOnly, type OpenDirectory, walkTree } from "@kintsugi/daemon";
import { pathOf } from "./open-inside.ts";

/**
 * Sets the group and its mode bits on everything below a path. Containers may replace files with
 * links in the meantime, so the bits are read and written through the same descriptor.
 */
export async function grantGroup(
  path: string,
  groupId: number,
  { readonly, unlessRootHasIt = false }: { readonly: boolean; unlessRootHasIt?: boolean },
): Promise<void> {
  // The bits are upstream's (volume_linux.go changeFilePermission).
  const bitsOf = (info: Stats) => (readonly ? 0o440 : 0o660) | (info.isDirectory() ? 0o2110 : 0);
  const hasIt = (info: Stats) => info.gid === groupId && (info.mode & bitsOf(info)) === bitsOf(info);

  const grantFile = async (at: string | Buffer) => {
    const file = await open(at, nameOnly);
    try {
      const info = await file.stat();
      // A link has no mode bits, and lchown does not follow links, so only the owner of a link can
      // change.
      if (info.isSymbolicLink()) return await lchown(at, -1, groupId);
      // A descriptor that only refers to a path opens no pipe and no device, and does not support
      // fchmod(2).
      await chown(pathOf(file), -1, groupId);
      await chmod(pathOf(file), (info.mode & 0o7777) | bitsOf(info));
    } finally {
      await file.close();
    }
  };
  const grantDirectory = async ({ handle }: OpenDirectory) => {
    const info = await handle.stat();
    await handle.chown(-1, groupId);
    await handle.chmod((info.mode & 0o7777) | bitsOf(info));
  };

  const info = await statOf(path);
  if (unlessRootHasIt && hasIt(info)) return;
  if (!info.isDirectory()) return grantFile(path);
  await walkTree(path, {
    file: (entry) => grantFile(entry.path),
    leave: grantDirectory,
    failed: (error) => {
      throw error;
    },
  });
}

async function statOf(path: string): Promise<Stats> {
  const top = await open(path, nameOnly);
  try {
    return await top.stat();
  } finally {
    await top.close();
  }
}
