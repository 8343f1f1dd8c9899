import { constants, type Dirent } from "node:fs";
import { type FileHandle, open, opendir } from "node:fs/promises";

// Directories that a container writes to are walked by descriptors, because any name in a path may
// be replaced by a link between two calls:
//
//   open(root)            the walk starts from a descriptor of the root itself,
//   open(fd/a), …         descends by one name at a time and follows no link,
//   open(fd/..)           ascends, and checks that the parent is the expected directory.
//
// Node has no openat(2). `/proc/self/fd/N/name` is equivalent: the kernel resolves the descriptor's
// own file, whatever its path has become, and O_NOFOLLOW applies to the one name after it. The path
// of a system call is therefore short however deep the tree is. A container can make trees that a
// path cannot reach, because a path has at most 4,096 bytes. Names are bytes and need not be UTF-8,
// so they are kept as latin1, which has a character for each byte.

/**
 * A descriptor that only names a file; Node has no constant for it. Linux's value on x86 and ARM.
 */
const O_PATH = 0o10000000;

/**
 * The flags of a descriptor that names a file, or a link itself. It does not open pipes or devices,
 * and cannot be read.
 */
export const nameOnly = O_PATH | constants.O_NOFOLLOW;

/**
 * The flags of a directory that is walked. O_NONBLOCK keeps a pipe in the place of a directory from
 * blocking.
 */
const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export interface WalkLimits {
  /**
   * Levels that keep their descriptors. Default 16: usual trees are not deeper, and forty pods that
   * are removed at the same time stay below the usual limit of 1,024 descriptors.
   */
  readonly keptLevelsMax: number;
  /** Limit on names of one level's directories that wait in memory. Default 50,000. */
  readonly namesOfLevelMax: number;
  /**
   * The limit on the names of all levels together, except 100 names of each level. Default 200,000,
   * about 30 MB.
   */
  readonly namesOfWalkMax: number;
}

const usualLimits: WalkLimits = { keptLevelsMax: 16, namesOfLevelMax: 50_000, namesOfWalkMax: 200_000 };
const namesOfLevelMin = 100;

/** Entries that the kernel returns per call. */
const batchSize = 256;

/** An open directory, which remains the same even if its path changes. */
export interface OpenDirectory {
  /** A path to the directory itself, for calls that follow links. */
  readonly path: string;
  /** Returns a path to an entry, for calls that do not follow a link at the last step. */
  at(name: string): Buffer;
  readonly handle: FileHandle;
}

export interface TreeEntry {
  /** The bytes of the name, as latin1. */
  readonly name: string;
  /** The entry's path, for calls that do not follow a link at the last step. */
  readonly path: Buffer;
  readonly directory: OpenDirectory;
}

export interface TreeVisitor {
  /** An entry that was not a directory a moment ago. */
  file(entry: TreeEntry): Promise<void>;
  /** Called for a directory before it is opened; returning false skips it. */
  directory?(entry: TreeEntry): Promise<boolean>;
  /**
   * Called for a directory that was just opened; returning false skips it. The root is entered too,
   * without an entry.
   */
  enter?(directory: OpenDirectory, entry: TreeEntry | undefined): Promise<boolean>;
  /** Called for a directory after all entries below it; the directory is still open. */
  leave?(directory: OpenDirectory): Promise<void>;
  /** Called for a directory's entry in its parent after the walk has left the directory. */
  left?(entry: TreeEntry): Promise<void>;
  /**
   * Handles an error of one entry: the walk continues with the next entry unless this function
   * throws. Entries that were removed in the meantime are not errors.
   */
  failed(error: unknown): void;
}

interface Level {
  /** The name in the parent; empty for the root. */
  readonly name: string;
  readonly device: number;
  readonly inode: number;
  directory: OpenDirectory;
  /** False if the descriptor is closed. */
  isOpen: boolean;
  /** Directories that wait to be walked, sorted; `next` is the first. */
  waiting: string[];
  next: number;
  /**
   * True if more directories follow the last waiting directory, which another reading has to list.
   */
  hasMore: boolean;
}

/**
 * Walks a tree from its root, files before directories. A root that is missing, or is not a
 * directory, is not walked. Memory and descriptors have limits, regardless of the tree's depth and
 * width.
 */
export async function walkTree(root: string | Buffer, visitor: TreeVisitor, limits = usualLimits): Promise<void> {
  const walk = new Walk(visitor, limits);
  try {
    await walk.run(root);
  } finally {
    await walk.close();
  }
}

class Walk {
  readonly #levels: Level[] = [];
  readonly #visitor: TreeVisitor;
  readonly #limits: WalkLimits;

  constructor(visitor: TreeVisitor, limits: WalkLimits) {
    this.#visitor = visitor;
    this.#limits = limits;
  }

  /** Closes the descriptors that an error has left open. */
  async close(): Promise<void> {
    for (const level of this.#levels) if (level.isOpen) await level.directory.handle.close();
  }

  async run(root: string | Buffer): Promise<void> {
    await this.#descend(root, undefined);
    for (let level = this.#levels.at(-1); level !== undefined; level = this.#levels.at(-1)) {
      const name = level.waiting[level.next];
      if (name !== undefined) {
        level.next++;
        await this.#tryToDescend(entryOf(level.directory, name));
      } else if (level.hasMore) await this.#read(level, level.waiting.at(-1));
      else await this.#ascend(level);
    }
  }

  async #tryToDescend(entry: TreeEntry): Promise<void> {
    await this.#attempt(async () => {
      if ((await this.#visitor.directory?.(entry)) === false) return;
      await this.#descend(entry.path, entry);
    });
  }

  /**
   * Opens a directory and reads it. An entry that has become a file or a link is visited as such.
   */
  async #descend(path: string | Buffer, entry: TreeEntry | undefined): Promise<void> {
    const handle = await open(path, directoryFlags).catch(async (error: unknown) => {
      if (isMissing(error) && !hasCode(error, "ENOTDIR")) return undefined;
      if (entry === undefined || !(hasCode(error, "ENOTDIR") || hasCode(error, "ELOOP"))) throw error;
      await this.#visitor.file(entry);
      return undefined;
    });
    if (handle === undefined) return;
    const directory = wrapDirectory(handle);
    try {
      const info = await handle.stat();
      if ((await this.#visitor.enter?.(directory, entry)) === false) return await handle.close();
      await this.#closeDeep();
      this.#levels.push({
        name: entry?.name ?? "",
        device: info.dev,
        inode: info.ino,
        directory,
        isOpen: true,
        waiting: [],
        next: 0,
        hasMore: false,
      });
    } catch (error) {
      await handle.close();
      throw error;
    }
    const level = this.#levels.at(-1);
    if (level) await this.#read(level, undefined);
  }

  /** A level keeps its descriptor while a deeper level is walked only if it is near the root. */
  async #closeDeep(): Promise<void> {
    const current = this.#levels.at(-1);
    if (current === undefined || this.#levels.length <= this.#limits.keptLevelsMax) return;
    current.isOpen = false;
    await current.directory.handle.close();
  }

  /**
   * Visits the files of a level, and records the directories that follow `last` in order. Files are
   * visited by the first reading only.
   */
  async #read(level: Level, last: string | undefined): Promise<void> {
    const waitingElsewhere = this.#levels.reduce((sum, each) => sum + each.waiting.length - each.next, 0);
    const { namesOfLevelMax, namesOfWalkMax } = this.#limits;
    const names = new FirstNames(
      Math.min(namesOfLevelMax, Math.max(namesOfLevelMin, namesOfWalkMax - waitingElsewhere)),
    );
    level.hasMore = false;
    await this.#attempt(async () => {
      for await (const found of await list(level.directory)) {
        const name = found.name.toString("latin1");
        if (found.isDirectory()) {
          if (last === undefined || name > last) names.add(name);
        } else if (last === undefined) {
          await this.#attempt(() => this.#visitor.file(entryOf(level.directory, name)));
        }
      }
    });
    level.waiting = names.sorted();
    level.next = 0;
    level.hasMore = names.areCut;
  }

  /** Returns from the deepest level to the level above it. */
  async #ascend(level: Level): Promise<void> {
    await this.#attempt(async () => this.#visitor.leave?.(level.directory));
    this.#levels.pop();
    const parent = this.#levels.at(-1);
    try {
      if (parent !== undefined && !parent.isOpen) await this.#reopen(parent, level);
    } finally {
      await level.directory.handle.close();
    }
    const upper = this.#levels.at(-1);
    // A directory that was moved is no longer in the level from which its walk started.
    if (upper === undefined || upper !== parent) return;
    await this.#attempt(async () => this.#visitor.left?.(entryOf(upper.directory, level.name)));
  }

  /**
   * Opens the parent of a level again. If the level has been moved to another directory, the walk
   * continues at the deepest level whose descriptor it has kept.
   */
  async #reopen(parent: Level, level: Level): Promise<void> {
    const handle = await open(level.directory.at(".."), directoryFlags).catch(() => undefined);
    const info = await handle?.stat();
    if (handle !== undefined && info?.dev === parent.device && info.ino === parent.inode) {
      parent.directory = wrapDirectory(handle);
      parent.isOpen = true;
      return;
    }
    await handle?.close();
    while (this.#levels.at(-1)?.isOpen === false) this.#levels.pop();
    this.#visitor.failed(new Error("a directory was moved while the tree was walked"));
  }

  async #attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!isMissing(error)) this.#visitor.failed(error);
    }
  }
}

/** The first names in order, up to a limit, in a set that never has more than twice the limit. */
class FirstNames {
  readonly #max: number;
  #names: string[] = [];
  areCut = false;

  constructor(max: number) {
    this.#max = max;
  }

  add(name: string): void {
    this.#names.push(name);
    if (this.#names.length >= 2 * this.#max) this.#names = this.sorted();
  }

  sorted(): string[] {
    const sorted = this.#names.toSorted();
    if (sorted.length > this.#max) this.areCut = true;
    return sorted.slice(0, this.#max);
  }
}

type ByteEntry = Omit<Dirent, "name"> & { readonly name: Buffer };

/**
 * Reads a directory in batches, because it may have more entries than should be in memory at the
 * same time.
 */
async function list(directory: OpenDirectory): Promise<AsyncIterable<ByteEntry>> {
  // The types of Node 20 lack the encoding "buffer", which the documentation of Node 20 allows.
  const options = { bufferSize: batchSize, encoding: "buffer" as BufferEncoding };
  return (await opendir(directory.path, options)) as unknown as AsyncIterable<ByteEntry>;
}

function entryOf(directory: OpenDirectory, name: string): TreeEntry {
  return { name, path: directory.at(name), directory };
}

/** Wraps a descriptor; its owner closes it. */
export function wrapDirectory(handle: FileHandle): OpenDirectory {
  const path = `/proc/self/fd/${handle.fd}`;
  return { path, handle, at: (name) => Buffer.from(`${path}/${name}`, "latin1") };
}

/** Reports whether an error states that a file does not exist. */
export function isMissing(error: unknown): boolean {
  return hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR");
}

/** Reports whether an error has a code of the kernel. */
export function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === code;
}
