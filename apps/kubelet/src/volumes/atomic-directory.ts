import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Files } from "../files/files.ts";

export interface FileToWrite {
  /** Relative to the volume. */
  path: string;
  content: Uint8Array;
  mode: number;
}

// A volume whose files change all at once, as upstream's AtomicWriter lays it out:
//
//   key      → ..data/key          what the container reads
//   ..data   → ..3f0c…             one link, replaced in one step
//   ..3f0c…/key                    this content's own directory, named after it

/** Makes the directory show exactly `files`. Does nothing when it does already. */
export async function writeAtomicDirectory(
  files: Files,
  directory: string,
  wanted: readonly FileToWrite[],
): Promise<void> {
  for (const { path } of wanted) requireInside(path);
  const version = `..${contentHash(wanted)}`;
  const present = await files.list(directory);
  if (!present.includes(version)) {
    await files.makeDirectory(directory, 0o755);
    await files.makeDirectory(join(directory, version), 0o755);
    for (const { path, content, mode } of wanted)
      await writeInside(files, join(directory, version), { path, content, mode });
  }
  await files.link(version, join(directory, "..data"));
  const tops = new Set(wanted.map(({ path }) => path.split("/")[0] ?? path));
  for (const top of tops) if (!present.includes(top)) await files.link(`..data/${top}`, join(directory, top));
  const stale = present.filter((name) => name !== version && name !== "..data" && !tops.has(name));
  for (const name of stale) await files.remove(join(directory, name));
}

async function writeInside(files: Files, directory: string, { path, content, mode }: FileToWrite): Promise<void> {
  const parts = path.split("/");
  for (let depth = 1; depth < parts.length; depth++) {
    await files.makeDirectory(join(directory, ...parts.slice(0, depth)), 0o755);
  }
  await files.write(join(directory, path), content, mode);
}

function contentHash(files: readonly FileToWrite[]): string {
  const hash = createHash("sha256");
  for (const { path, content, mode } of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    hash.update(`${path}\0${mode}\0${content.byteLength}\0`).update(content);
  }
  return hash.digest("hex").slice(0, 20);
}

function requireInside(path: string): void {
  const parts = path.split("/");
  const isBad = path === "" || path.startsWith("/") || parts.some((part) => part === ".." || part === "");
  if (isBad || path.startsWith("..")) throw new RangeError(`invalid path "${path}" in a volume`);
}
