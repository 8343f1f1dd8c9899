import { gzipSync } from "node:zlib";
import type { FileKind, Files, FileUsage } from "../machine/files/files.ts";

type Entry =
  | { kind: "directory" }
  | { kind: "file"; content: Uint8Array; mode: number }
  | { kind: "link"; target: string };

/** A file system in memory, for tests and simulations. */
export class MemoryFiles implements Files {
  readonly entries = new Map<string, Entry>([["/", { kind: "directory" }]]);

  makeDirectory(path: string): Promise<void> {
    const parts = path.split("/").filter(Boolean);
    for (let depth = 1; depth <= parts.length; depth++) {
      this.entries.set(`/${parts.slice(0, depth).join("/")}`, { kind: "directory" });
    }
    return Promise.resolve();
  }

  async write(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
    await this.makeDirectory(path.slice(0, path.lastIndexOf("/")) || "/");
    this.entries.set(path, { kind: "file", content: Buffer.from(content), mode });
  }

  async create(path: string, mode: number): Promise<void> {
    if (!this.entries.has(path)) await this.write(path, "", mode);
  }

  readTail(path: string, bytesMax: number): Uint8Array | undefined {
    const entry = this.entries.get(path);
    if (entry?.kind !== "file") return undefined;
    return entry.content.subarray(Math.max(0, entry.content.byteLength - bytesMax));
  }

  list(path: string): Promise<string[]> {
    const prefix = path.endsWith("/") ? path : `${path}/`;
    const names: string[] = [];
    for (const each of this.entries.keys()) {
      if (!each.startsWith(prefix) || each === prefix || each.includes("/", prefix.length)) continue;
      names.push(each.slice(prefix.length));
    }
    return Promise.resolve(names.sort());
  }

  remove(path: string): Promise<void> {
    for (const each of this.entries.keys()) if (each === path || each.startsWith(`${path}/`)) this.entries.delete(each);
    return Promise.resolve();
  }

  kindOf(path: string): Promise<FileKind | undefined> {
    const kind = this.entries.get(path)?.kind;
    return Promise.resolve(kind === "link" ? "other" : kind);
  }

  link(target: string, linkPath: string): Promise<void> {
    this.entries.set(linkPath, { kind: "link", target });
    return Promise.resolve();
  }

  rename(from: string, to: string): Promise<void> {
    for (const [path, entry] of this.entries) {
      if (path !== from && !path.startsWith(`${from}/`)) continue;
      this.entries.delete(path);
      this.entries.set(to + path.slice(from.length), entry);
    }
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
      const entry = this.entries.get(path);
      return entry?.kind === "file" ? entry.content.byteLength : undefined;
    });
    return Promise.resolve(sizes);
  }

  compress(path: string): Promise<void> {
    const entry = this.entries.get(path);
    if (entry?.kind !== "file") return Promise.resolve();
    this.entries.set(`${path}.gz`, { ...entry, content: gzipSync(entry.content) });
    this.entries.delete(path);
    return Promise.resolve();
  }

  usage(path: string): Promise<FileUsage> {
    const below = [...this.entries].filter(([each]) => each === path || each.startsWith(`${path}/`));
    const bytes = below.reduce((sum, [, entry]) => sum + (entry.kind === "file" ? entry.content.byteLength : 0), 0);
    return Promise.resolve({ bytes, inodes: below.length });
  }
}
