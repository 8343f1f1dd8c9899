import { gzipSync } from "node:zlib";
import type { FileKind, Files, FileUsage } from "../machine/files/files.ts";

interface Directory {
  readonly kind: "directory";
  /** Undefined while the directory is empty, like most of a node's thousands of directories. */
  children?: Map<string, Entry>;
}

/**
 * A character of the content is a byte, because a small Buffer is a part of a slab of 8 KiB and
 * retains all of it.
 */
interface File {
  readonly kind: "file";
  readonly content: string;
  readonly mode: number;
}

type Entry = Directory | File | { kind: "link"; target: string };

/**
 * A file system in memory, for tests, simulations and hollow nodes. It is a tree, so that
 * operations on one pod's files do not depend on the number of other files. Links are not followed.
 */
export class MemoryFiles implements Files {
  readonly #root: Directory = { kind: "directory" };

  /** All existing paths. */
  entries(): ReadonlyMap<string, Entry> {
    return new Map(below("/", this.#root));
  }

  makeDirectory(path: string): Promise<void> {
    this.#directoryAt(partsOf(path));
    return Promise.resolve();
  }

  write(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
    this.#put(path, { kind: "file", content: charactersOf(Buffer.from(content)), mode });
    return Promise.resolve();
  }

  async create(path: string, mode: number): Promise<void> {
    if (this.#find(path) === undefined) await this.write(path, "", mode);
  }

  readTail(path: string, bytesMax: number): Uint8Array | undefined {
    const entry = this.#find(path);
    if (entry?.kind !== "file") return undefined;
    return bytesOf(entry.content.slice(Math.max(0, entry.content.length - bytesMax)));
  }

  readInside(root: string, inside: string, bytesMax: number): Promise<Uint8Array | undefined> {
    const entry = this.#find(`${root}/${inside}`);
    return Promise.resolve(entry?.kind === "file" ? bytesOf(entry.content.slice(0, bytesMax)) : undefined);
  }

  list(path: string): Promise<string[]> {
    const entry = this.#find(path);
    const children = entry?.kind === "directory" ? entry.children : undefined;
    return Promise.resolve(children === undefined ? [] : [...children.keys()].sort());
  }

  remove(path: string): Promise<void> {
    this.#take(path);
    return Promise.resolve();
  }

  kindOf(path: string): Promise<FileKind | undefined> {
    const kind = this.#find(path)?.kind;
    return Promise.resolve(kind === "link" ? "other" : kind);
  }

  link(target: string, linkPath: string): Promise<void> {
    this.#put(linkPath, { kind: "link", target });
    return Promise.resolve();
  }

  rename(from: string, to: string): Promise<void> {
    const entry = this.#take(from);
    if (entry !== undefined) this.#put(to, entry);
    return Promise.resolve();
  }

  giveTo(): Promise<void> {
    return Promise.resolve();
  }

  grantGroup(): Promise<void> {
    return Promise.resolve();
  }

  sizes(paths: readonly string[]): Promise<(number | undefined)[]> {
    const sizes = paths.map((path) => {
      const entry = this.#find(path);
      return entry?.kind === "file" ? entry.content.length : undefined;
    });
    return Promise.resolve(sizes);
  }

  compress(path: string): Promise<void> {
    const entry = this.#find(path);
    if (entry?.kind !== "file") return Promise.resolve();
    this.#put(`${path}.gz`, { ...entry, content: charactersOf(gzipSync(bytesOf(entry.content))) });
    this.#take(path);
    return Promise.resolve();
  }

  usage(path: string): Promise<FileUsage> {
    const entry = this.#find(path);
    let [bytes, inodes] = [0, 0];
    for (const [, each] of entry === undefined ? [] : below(path, entry)) {
      inodes++;
      if (each.kind === "file") bytes += each.content.length;
    }
    return Promise.resolve({ bytes, inodes });
  }

  #find(path: string): Entry | undefined {
    let entry: Entry | undefined = this.#root;
    for (const name of partsOf(path)) {
      if (entry?.kind !== "directory") return undefined;
      entry = entry.children?.get(name);
    }
    return entry;
  }

  /** Creates the parent directories; a directory replaces an existing file. */
  #directoryAt(parts: readonly string[]): Directory {
    let directory = this.#root;
    for (const name of parts) {
      const children = (directory.children ??= new Map());
      const known = children.get(name);
      const next: Directory = known?.kind === "directory" ? known : { kind: "directory" };
      if (next !== known) children.set(name, next);
      directory = next;
    }
    return directory;
  }

  #put(path: string, entry: Entry): void {
    const parts = partsOf(path);
    const directory = this.#directoryAt(parts.slice(0, -1));
    (directory.children ??= new Map()).set(parts.at(-1) ?? "", entry);
  }

  #take(path: string): Entry | undefined {
    const parts = partsOf(path);
    const name = parts.pop() ?? "";
    const directory = this.#find(parts.join("/"));
    if (directory?.kind !== "directory") return undefined;
    const entry = directory.children?.get(name);
    directory.children?.delete(name);
    if (directory.children?.size === 0) delete directory.children;
    return entry;
  }
}

function charactersOf(bytes: Buffer): string {
  return bytes.toString("latin1");
}

function bytesOf(characters: string): Buffer {
  return Buffer.from(characters, "latin1");
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}

function* below(path: string, entry: Entry): Generator<[path: string, Entry]> {
  yield [path, entry];
  if (entry.kind !== "directory") return;
  for (const [name, child] of entry.children ?? []) yield* below(path === "/" ? `/${name}` : `${path}/${name}`, child);
}
