import { constants } from "node:fs";
import { mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemRandom } from "@kintsugi/clock";
import { identifyProcess, type ProcessIdentity } from "@kintsugi/lab";

// A cluster outlives the process that starts it on purpose. So a test writes a record before it
// starts a resource, and a process that finds a record whose writer no longer exists removes the
// resource (clear.ts). A record is a file:
//
//   <uuid>.json                        written by the test, removed by it at the end
//   <uuid>.json.<pid>-<start time>     claimed: that process is removing it

/** The remains of a test on this host when its process ends in the middle. */
export type Remains =
  | { kind: "cluster"; name: string }
  | { kind: "containerd"; name: string; directory: string }
  | { kind: "directory"; path: string }
  /** A program that removes the resource. */
  | { kind: "undo"; command: readonly [string, ...string[]] };

export interface Note {
  readonly remains: Remains;
  readonly owner: ProcessIdentity;
  /** The process that started the owner, usually vitest; the owner ends when it does. */
  readonly parent: ProcessIdentity | undefined;
}

export interface FoundNote extends Note {
  /** The path without a claim's suffix. */
  readonly file: string;
  readonly claimed: ProcessIdentity | undefined;
}

/** Each user has a directory of its own. */
export const notesDirectory = join(tmpdir(), `kintsugi-tests-${process.getuid?.() ?? 0}`);

/**
 * Records something that must be removed. Called before its start; the returned function removes
 * the record, and is called when the removal is complete.
 */
export async function remember(remains: Remains): Promise<() => Promise<void>> {
  endWithParent();
  const owner = await identifyProcess(process.pid);
  if (!owner) throw new Error("this process is not in /proc");
  const note: Note = { remains, owner, parent: await identifyProcess(process.ppid) };
  const file = join(notesDirectory, `${systemRandom.uuid()}.json`);
  await mkdir(notesDirectory, { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, JSON.stringify(note), { mode: 0o600 });
  await rename(`${file}.new`, file);
  return () => rm(file, { force: true });
}

/** Lists all records, including claimed ones. */
export async function readNotes(): Promise<FoundNote[]> {
  const found: FoundNote[] = [];
  for (const name of await readdir(notesDirectory).catch(() => [])) {
    const [, base, pid, startTime] = /^([\w-]+\.json)(?:\.(\d+)-(\d+))?$/.exec(name) ?? [];
    if (base === undefined) continue;
    const text = await readOwn(join(notesDirectory, name)).catch(() => undefined);
    if (text === undefined) continue;
    const claimed = pid === undefined || startTime === undefined ? undefined : { pid: Number(pid), startTime };
    found.push({ ...(JSON.parse(text) as Note), file: join(notesDirectory, base), claimed });
  }
  return found;
}

/**
 * Root follows only its own records, because any user can make such a directory before root does.
 */
async function readOwn(path: string): Promise<string | undefined> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  const { uid } = await file.stat();
  return uid === process.getuid?.() ? await file.readFile("utf8") : undefined;
}

let ends = false;

/**
 * A worker whose vitest no longer exists continues with its test until it has a result to report to
 * vitest.
 */
function endWithParent(): void {
  if (ends) return;
  ends = true;
  process.once("disconnect", () => process.exit(1));
}
