import { constants } from "node:buffer";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { gunzipSync } from "node:zlib";
import {
  isSimkubeTrace,
  type ListedKind,
  type RecordedChange,
  type RawObject,
  readDocuments,
  readSimkubeTrace,
  UnreadableSource,
} from "@kintsugi/rehearsal";
import { missingOfClusterInfo } from "./cluster-info-dump.ts";
import { isObjectFile, readTar } from "./read-tar.ts";

export interface FileObjects {
  readonly objects: readonly RawObject[];
  readonly listed: readonly ListedKind[];
  /** The changes of a record, oldest first. */
  readonly observed?: readonly RecordedChange[];
  /** True if the source was a directory: manifests, or a dump of many files. */
  readonly isDirectory: boolean;
  /**
   * True if the source is a trace, which contains only the kinds that its program was configured to
   * trace.
   */
  readonly isTrace?: boolean;
}

/** Limit of the bytes of all files together; a dump of one cluster is smaller. */
const bytesMax = 2 * 2 ** 30;
const filesMax = 50_000;
const directoriesDeepMax = 16;

/** @throws UnreadableSource that names the file. */
export function readFiles(path: string): FileObjects {
  if (path === "-") {
    const text = textOf(readFileSync(0), "standard input");
    return { ...readDocuments(text, "standard input"), isDirectory: false };
  }
  if (!existsSync(path)) throw new UnreadableSource(`there is no file or directory ${path}`);
  if (statSync(path).isDirectory()) return readDirectory(path);
  const bytes = readFileSync(path);
  if (/\.(tar|tgz|tar\.gz)$/.test(path)) return readArchive(path, bytes);
  const unpacked = path.endsWith(".gz") ? unzipped(bytes, path) : bytes;
  if (isSimkubeTrace(unpacked)) return { ...readSimkubeTrace(unpacked, path), isDirectory: false, isTrace: true };
  return { ...readDocuments(textOf(unpacked, path), path), isDirectory: false };
}

function readDirectory(directory: string): FileObjects {
  const files = filesBelow(directory, 0).toSorted();
  if (files.length > filesMax)
    throw new UnreadableSource(`${directory} contains ${files.length} files, more than ${filesMax}`);
  if (files.length === 0) throw new UnreadableSource(`${directory} contains no file that ends in .yaml, .yml or .json`);
  const objects: RawObject[] = [];
  const listed: ListedKind[] = [];
  let bytes = 0;
  for (const file of files) {
    bytes += statSync(file).size;
    if (bytes > bytesMax) throw new UnreadableSource(`${directory} has more than ${bytesMax / 2 ** 30} GiB`);
    const text = textOf(readFileSync(file), file);
    if (text.trim() === "" || !isOfApi(text)) continue;
    const read = readDocuments(text, file);
    objects.push(...read.objects);
    listed.push(...read.listed);
  }
  const missing = missingOfClusterInfo(files.map((file) => relative(directory, file))) ?? [];
  return { objects, listed: [...listed, ...missing], isDirectory: true };
}

/** Settings files between manifests and in dumps are skipped. */
function isOfApi(text: string): boolean {
  return /["']?kind["']?\s*:/.test(text) && /["']?apiVersion["']?\s*:/.test(text);
}

function filesBelow(directory: string, depth: number): string[] {
  if (depth > directoriesDeepMax) return [];
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return filesBelow(path, depth + 1);
    return entry.isFile() && isObjectFile(entry.name) ? [path] : [];
  });
}

/** A Velero backup has its objects as `resources/<resource.group>/…/<name>.json`. */
function readArchive(path: string, bytes: Buffer): FileObjects {
  const unpacked = /\.(tgz|gz)$/.test(path) ? unzipped(bytes, path) : bytes;
  const objects: RawObject[] = [];
  const listed: ListedKind[] = [];
  for (const { name, contents } of readTar(unpacked, path)) {
    if (!isObjectFile(name)) continue;
    const text = textOf(contents, `${path}: ${name}`);
    if (!isOfApi(text)) continue;
    const read = readDocuments(text, `${path}: ${name}`);
    objects.push(...read.objects);
    listed.push(...read.listed);
  }
  return { objects, listed, isDirectory: true };
}

/**
 * @throws UnreadableSource if the bytes are not a string, or too many for one string of Node.js.
 */
function textOf(bytes: Buffer, name: string): string {
  if (bytes.length > constants.MAX_STRING_LENGTH)
    throw new UnreadableSource(`${name} has more than 512 MiB: write each kind into its own file of a directory`);
  if (bytes.includes(0)) throw new UnreadableSource(`${name} is not text, because it contains a NUL byte`);
  return bytes.toString("utf8");
}

function unzipped(bytes: Buffer, path: string): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: bytesMax });
  } catch (cause) {
    throw new UnreadableSource(
      `${path} cannot be unpacked because it is cut off or not a gzip file: copy it again (${(cause as Error).message})`,
      { cause },
    );
  }
}
