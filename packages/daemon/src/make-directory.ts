import { mkdir, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The meaning of the kernel's errors for a directory. */
const meanings: Readonly<Record<string, string>> = {
  EROFS: "it is mounted read-only",
  ENOSPC: "its disk is full",
  EDQUOT: "a quota is used up",
  ENOTDIR: "it is not a directory",
  ENAMETOOLONG: "the name is too long",
};

/** The directory cannot store files. The message has the reason and the remedy. */
export class UnusableDirectory extends Error {
  override readonly name = "UnusableDirectory";
}

export interface MakeDirectoryOptions {
  /** The flag that sets the directory, for a user who has to choose another: "--data-dir". */
  flag: string;
  /** The mode of the directories that are made. Default 0o777, less the process's umask. */
  mode?: number;
}

/**
 * Makes a directory and its parents, and checks that files can be made in it. On failure it leaves
 * nothing behind. The directories are made step by step, because mkdir's own `recursive` never ends
 * where the kernel denies the parent of a directory that it shows, as it does in /proc.
 * @throws UnusableDirectory
 */
export async function makeDirectory(path: string, options: MakeDirectoryOptions): Promise<void> {
  const { flag, mode = 0o777 } = options;
  const made: string[] = [];
  try {
    for (const directory of await missingIn(path, flag)) {
      await makeOne(directory, { flag, mode });
      made.unshift(directory);
    }
    await tryToWrite(path, flag);
  } catch (error) {
    for (const directory of made) await rmdir(directory).catch(() => {});
    throw error;
  }
}

/** Another process may make the same directory at this moment. */
async function makeOne(directory: string, { flag, mode }: Required<MakeDirectoryOptions>): Promise<void> {
  await mkdir(directory, { mode }).catch(async (error: NodeJS.ErrnoException) => {
    const isThere = error.code === "EEXIST" && (await stat(directory).catch(() => undefined))?.isDirectory();
    if (isThere !== true) refuse(dirname(directory), flag)(error);
  });
}

/** The directories of the path that do not exist, the outermost first. */
async function missingIn(path: string, flag: string): Promise<string[]> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    const found = await stat(at).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
      return refuse(at, flag)(error);
    });
    if (found?.isDirectory()) return missing;
    if (found) throw new UnusableDirectory(`${at} is not a directory: choose another ${flag}`);
    missing.unshift(at);
  }
}

/** Some pseudo file systems allow directories to be made, but not files. */
async function tryToWrite(directory: string, flag: string): Promise<void> {
  const file = join(directory, `.kintsugi-writes-here-${process.pid}`);
  await writeFile(file, "").catch(refuse(directory, flag));
  await rm(file, { force: true });
}

function refuse(directory: string, flag: string): (error: NodeJS.ErrnoException) => never {
  return (cause) => {
    const { code = "unknown error" } = cause;
    const because = meanings[code] === undefined ? code : `${meanings[code]}, ${code}`;
    const message = `nothing can be written in ${directory} (${because}): choose another ${flag}`;
    throw new UnusableDirectory(message, { cause });
  };
}
