import { constants, type Stats } from "node:fs";
import { copyFile, type FileHandle, lchown, lutimes, mkdir, open, readlink, symlink } from "node:fs/promises";
import { wrapDirectory, nameOnly, type OpenDirectory, type TreeEntry, walkTree } from "@kintsugi/daemon";

const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const copyFlags = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;

/**
 * Copies a directory to an unused path: directories, files and links with their owners, modes and
 * times. Pipes, sockets and devices are omitted, because they belong to the process that created
 * them. Containers may be writing in the meantime, so both trees are walked by descriptors, and
 * links are not followed.
 */
export async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  const copy = new Copy(await open(to, directoryFlags));
  try {
    await walkTree(from, {
      enter: async (_, entry) => {
        if (entry !== undefined) await copy.enter(entry);
        return true;
      },
      file: (entry) => copy.file(entry),
      leave: async (directory) => copy.finish(await directory.handle.stat()),
      left: () => copy.leave(),
      failed: (error) => {
        throw error;
      },
    });
  } finally {
    await copy.close();
  }
}

/** The copy's side of the walk: the directory that corresponds to the walk's current directory. */
class Copy {
  #current: OpenDirectory;

  constructor(root: FileHandle) {
    this.#current = wrapDirectory(root);
  }

  async enter({ name }: TreeEntry): Promise<void> {
    const path = this.#current.at(name);
    await mkdir(path, { mode: 0o700 });
    await this.#moveTo(path);
  }

  /** Returns to the parent directory; only the walk moves directories of the copy. */
  async leave(): Promise<void> {
    await this.#moveTo(this.#current.at(".."));
  }

  /** The creation of its entries has changed the directory's time, so the time is set last. */
  async finish(info: Stats): Promise<void> {
    await takeOver(this.#current.handle, info);
  }

  async file(entry: TreeEntry): Promise<void> {
    const source = await open(entry.path, nameOnly);
    try {
      const info = await source.stat();
      if (info.isSymbolicLink()) await this.#copyLink(entry, info);
      if (info.isFile()) await this.#copyFile(`/proc/self/fd/${source.fd}`, entry, info);
    } finally {
      await source.close();
    }
  }

  async close(): Promise<void> {
    await this.#current.handle.close();
  }

  async #copyFile(content: string, { name }: TreeEntry, info: Stats): Promise<void> {
    const copied = this.#current.at(name);
    await copyFile(content, copied, copyFlags);
    const file = await open(copied, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      await takeOver(file, info);
    } finally {
      await file.close();
    }
  }

  async #copyLink({ path, name }: TreeEntry, info: Stats): Promise<void> {
    const copied = this.#current.at(name);
    await symlink(await readlink(path, { encoding: "buffer" }), copied);
    if (isRoot()) await lchown(copied, info.uid, info.gid);
    await lutimes(copied, info.atime, info.mtime);
  }

  async #moveTo(path: Buffer): Promise<void> {
    const next = await open(path, directoryFlags);
    await this.close();
    this.#current = wrapDirectory(next);
  }
}

/** A file keeps its setuid bit only if its owner is set before its mode. */
async function takeOver(file: FileHandle, info: Stats): Promise<void> {
  if (isRoot()) await file.chown(info.uid, info.gid);
  await file.chmod(info.mode & 0o7777);
  await file.utimes(info.atime, info.mtime);
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
