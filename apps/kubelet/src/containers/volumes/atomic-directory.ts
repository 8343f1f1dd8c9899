import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Files } from "../../machine/files/files.ts";

export interface FileToWrite {
  /** Path relative to the volume. */
  path: string;
  content: Uint8Array;
  mode: number;
  /** The owner of the file; default: root. */
  userId?: number | undefined;
}

export interface DirectoryContent {
  files: readonly FileToWrite[];
  /** A group that may read all files; default: no group. */
  groupId?: number | undefined;
}

// A volume whose files change atomically, with the layout of upstream's AtomicWriter:
//
//   key      → ..data/key     the path that the container reads
//   ..data   → ..3f0c…        one link, replaced in one step
//   ..3f0c…/key               this content's own directory, named after it
//   ..3f0c….part/key          the directory while it is being written; it is renamed at the end

const partSuffix = ".part";

/** Makes the directory contain exactly these files. Does nothing when it already does. */
export async function writeAtomicDirectory(files: Files, directory: string, content: DirectoryContent): Promise<void> {
  for (const { path } of content.files) requireInside(path);
  const version = `..${contentHash(content.files)}`;
  const present = await files.list(directory);
  const tops = new Set(content.files.map(({ path }) => path.split("/")[0] ?? path));
  const shown = new Set([version, "..data", ...tops]);
  if (present.length === shown.size && present.every((name) => shown.has(name))) return;
  if (!present.includes(version)) {
    const part = join(directory, `${version}${partSuffix}`);
    if (present.includes(`${version}${partSuffix}`)) await files.remove(part);
    await writeVersion(files, { directory, part, version: join(directory, version) }, content);
  }
  await files.link(version, join(directory, "..data"));
  for (const top of tops) if (!present.includes(top)) await files.link(`..data/${top}`, join(directory, top));
  for (const name of present) if (!shown.has(name)) await files.remove(join(directory, name));
}

/** Owners and modes are set before a container can see a file. */
async function writeVersion(
  files: Files,
  { directory, part, version }: Record<"directory" | "part" | "version", string>,
  content: DirectoryContent,
): Promise<void> {
  await files.makeDirectory(directory, 0o755);
  await files.makeDirectory(part, 0o755);
  for (const file of content.files) await writeInside(files, part, file);
  if (content.groupId !== undefined) await files.grantGroup(part, content.groupId, { readonly: true });
  await files.rename(part, version);
}

async function writeInside(files: Files, directory: string, file: FileToWrite): Promise<void> {
  const parts = file.path.split("/");
  for (let depth = 1; depth < parts.length; depth++) {
    await files.makeDirectory(join(directory, ...parts.slice(0, depth)), 0o755);
  }
  const path = join(directory, file.path);
  await files.write(path, file.content, file.mode);
  if (file.userId !== undefined) await files.giveTo(path, file.userId);
}

function contentHash(files: readonly FileToWrite[]): string {
  const hash = createHash("sha256");
  for (const { path, content, mode, userId } of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    hash.update(`${path}\0${mode}\0${userId ?? 0}\0${content.byteLength}\0`).update(content);
  }
  return hash.digest("hex").slice(0, 20);
}

function requireInside(path: string): void {
  const parts = path.split("/");
  const isBad = path === "" || path.startsWith("/") || parts.some((part) => part === ".." || part === "");
  if (isBad || path.startsWith("..")) throw new RangeError(`invalid path "${path}" in a volume`);
}
