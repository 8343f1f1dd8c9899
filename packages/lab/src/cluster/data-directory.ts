import { mkdir, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InvalidSpec } from "./cluster-spec.ts";

/** The data holds every Secret of the cluster: only its owner may look. */
const directoryMode = 0o700;

/** What the kernel's answers mean where data was to be kept. */
const meanings: Readonly<Record<string, string>> = {
  EROFS: "it is mounted read-only",
  ENOSPC: "its disk is full",
  EDQUOT: "a quota is used up",
  ENOTDIR: "it is not a directory",
  ENAMETOOLONG: "the name is too long",
};

/**
 * Makes the directory in which a cluster's data is kept, with those above it, and sees that files can be made in it; leaves nothing behind
 * when they cannot. It is made step by step: mkdir's own `recursive` never ends where the kernel denies the parent of what it shows, as
 * it does in /proc.
 * @throws InvalidSpec with what to do.
 */
export async function makeDataDirectory(path: string): Promise<void> {
  const made: string[] = [];
  try {
    for (const directory of await missingIn(path)) {
      await mkdir(directory, { mode: directoryMode }).catch(refuse(dirname(directory)));
      made.unshift(directory);
    }
    await tryToWrite(path);
  } catch (error) {
    for (const directory of made) await rmdir(directory).catch(() => {});
    throw error;
  }
}

/** The path, and those above it, that are not there; the outermost first. */
async function missingIn(path: string): Promise<string[]> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    const found = await stat(at).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
      return refuse(at)(error);
    });
    if (found?.isDirectory()) return missing;
    if (found) throw new InvalidSpec(`${at} is not a directory: choose another --data-dir`);
    missing.unshift(at);
  }
}

/** Some that are pseudo file systems let directories be made in them, but no files. */
async function tryToWrite(directory: string): Promise<void> {
  const file = join(directory, ".kintsugi-writes-here");
  await writeFile(file, "").catch(refuse(directory));
  await rm(file, { force: true });
}

function refuse(directory: string): (error: NodeJS.ErrnoException) => never {
  return (cause) => {
    const { code = "unknown error" } = cause;
    const because = meanings[code] === undefined ? code : `${meanings[code]}, ${code}`;
    throw new InvalidSpec(`nothing can be written in ${directory} (${because}): choose another --data-dir`, { cause });
  };
}
