import { constants, type Dirent } from "node:fs";
import { type FileHandle, open, opendir } from "node:fs/promises";

// Directories that a container writes to are walked by descriptors, because any name in a path may
// be replaced by a link between two calls:
//
//   open(root)            the walk starts from a descriptor of the root itself,
//   open(fd/a), …         goes down by one name at a time and follows no link,
//   open(fd/..)           goes up, and checks that it has come to the directory it came from.
//
// Node has no openat(2). `/proc/self/fd/N/name` is the same: the kernel goes to the descriptor's
// own file, whatever its path has become, and O_NOFOLLOW holds for the one name after it. A path
// of the kernel's calls is therefore short however deep the tree is: a container can make trees
// that no path leads to, because a path ends at 4,096 bytes. Names are bytes and need not be UTF-8,
// so they are kept as latin1, which has a character for each byte.

/**
 * A descriptor that only names a file; Node has no constant for it. Linux's value on x86 and ARM.
 */
const O_PATH = 0o10000000;

/**
 * The flags of a descriptor that names a file, or a link itself: it opens no pipe and no device,
 * and gives nothing to read.
 */
export const nameOnly = O_PATH | constants.O_NOFOLLOW;

/** The flags of a directory that is walked. O_NONBLOCK keeps a pipe of that name from blocking. */
const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export interface WalkLimits {
  /**
   * Levels that keep their descriptors. Default 16: usual trees are no deeper, and forty pods that
   * are removed at the same time stay below the usual limit of 1,024 descriptors.
   */
  readonly keptLevelsMax: number;
  /** Names of directories of one level that wait in memory. Default 50,000. */
  readonly namesOfLevelMax: number;
  /** The same for all levels together, but for 100 names of each. Default 200,000, about 30 MB. */
  readonly namesOfWalkMax: number;
}

const usualLimits: WalkLimits = { keptLevelsMax: 16, namesOfLevelMax: 50_000, namesOfWalkMax: 200_000 };
const namesOfLevelMin = 100;

/** Entries that the kernel returns per call. */
const batchSize = 256;

/** A directory that is open; it stays the same whatever happens to its path. */
export interface OpenDirectory {
  /** A path to the directory itself, for calls that follow links. */
  readonly path: string;
  /** Returns a path to an entry, for calls that follow no link at the last step. */
  at(name: string): Buffer;
  readonly handle: FileHandle;
}

export interface TreeEntry {
  /** The bytes of the name, as latin1. */
  readonly name: string;
  /** The entry's path, for calls that follow no link at the last step. */
  readonly path: Buffer;
  readonly directory: OpenDirectory;
}

export interface TreeVisitor {
  /** An entry that was no directory a moment ago. */
  file(entry: TreeEntry): Promise<void>;
  /** A directory before it is opened; false leaves it out. */
  directory?(entry: TreeEntry): Promise<boolean>;
  /** A directory, just opened; false leaves it out. The root is entered too, without an entry. */
  enter?(directory: OpenDirectory, entry: TreeEntry | undefined): Promise<boolean>;
  /** A directory after all entries below it; it is still open. */
  leave?(directory: OpenDirectory): Promise<void>;
  /** A directory's entry in its parent after the directory has been left. */
  left?(entry: TreeEntry): Promise<void>;
  /**
   * Decides about an error of one entry: the walk continues with the next entry unless this throws.
   * Entries that have gone in the meantime are no errors.
   */
  failed(error: unknown): void;
}

interface Level {
  /** The name in the parent; empty for the root. */
  readonly name: string;
  readonly device: number;
  readonly inode: number;
  directory: OpenDirectory;
  /** Reports whether the descriptor is open. */
  isOpen: boolean;
  /** Directories that wait to be walked, sorted; `next` is the first of them. */
  waiting: string[];
  next: number;
  /** Directories after the last that waits have been left for another reading. */
  hasMore: boolean;
}

/**
 * Walks a tree from its root, files before directories. A root that is missing, or no directory, is
 * not walked. Memory and descriptors have limits, whatever the tree's depth and width.
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

  /** Opens a directory and reads it. One that has become a file or a link is visited as such. */
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

  /** The level that is left for a deeper one keeps its descriptor near the root only. */
  async #closeDeep(): Promise<void> {
    const current = this.#levels.at(-1);
    if (current === undefined || this.#levels.length <= this.#limits.keptLevelsMax) return;
    current.isOpen = false;
    await current.directory.handle.close();
  }

  /**
   * Visits the files of a level, and notes the directories that follow `last` in order; files are
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

  /** Leaves the deepest level for the one above it. */
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
    // A directory that was moved is no longer in the level that its walk came from.
    if (upper === undefined || upper !== parent) return;
    await this.#attempt(async () => this.#visitor.left?.(entryOf(upper.directory, level.name)));
  }

  /**
   * Opens the parent of a level again. Where the level has been moved to another directory, the
   * walk continues at the deepest level whose descriptor it has kept.
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

/** The first names in order, up to a limit; in a set that never has more than twice the limit. */
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
 * Reads a directory in batches: it may have more entries than memory should hold at the same time.
 */
async function list(directory: OpenDirectory): Promise<AsyncIterable<ByteEntry>> {
  // The types of Node 20 have no encoding "buffer" here, though its documents do.
  const options = { bufferSize: batchSize, encoding: "buffer" as BufferEncoding };
  return (await opendir(directory.path, options)) as unknown as AsyncIterable<ByteEntry>;
}

function entryOf(directory: OpenDirectory, name: string): TreeEntry {
  return { name, path: directory.at(name), directory };
}

/** Wraps a descriptor, whose owner closes it. */
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
