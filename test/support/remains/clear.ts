import { rename, rm } from "node:fs/promises";
import { systemClock } from "@kintsugi/clock";
import {
  findLeftovers,
  identifyProcess,
  isAlive,
  type ProcessIdentity,
  removePrivateContainerd,
  tearDown,
} from "@kintsugi/lab";
import { runProgram } from "../run-program.ts";
import { type FoundNote, readNotes, type Remains } from "./remember.ts";

/**
 * A cluster of many pods is removed in some ten seconds, and other processes may be removing their
 * clusters.
 */
const clearMaxMs = 120_000;
/** A supervisor that was just being started may appear after its cluster was removed. */
const tearDownsMax = 3;

/**
 * Removes the remains of tests whose processes have ended, and waits for other processes that do
 * the same. The resources of running tests are left alone.
 * @throws Error with everything that could not be removed; the next call retries it.
 */
export async function clearRemains(say: (line: string) => void): Promise<void> {
  const me = await identifyProcess(process.pid);
  if (!me) throw new Error("this process is not in /proc");
  const failures: unknown[] = [];
  const failed = new Set<string>();
  const untilMs = systemClock.monotonicMs() + clearMaxMs;
  for (;;) {
    let isWaiting = false;
    for (const note of await readNotes()) {
      if (failed.has(note.file)) continue;
      const verdict = await judge(note);
      if (verdict === "wait") isWaiting = true;
      if (verdict !== "clear" || !(await claim(note, me))) continue;
      try {
        say(`taking down what a test has left: ${describe(note.remains)}`);
        await takeDown(note.remains);
        await rm(claimedName(note.file, me));
      } catch (error) {
        failures.push(error);
        failed.add(note.file);
        await rename(claimedName(note.file, me), note.file);
      }
    }
    if (!isWaiting || systemClock.monotonicMs() > untilMs) break;
    await systemClock.sleep(200);
  }
  if (failures.length > 0) throw new AggregateError(failures, "not all that tests have left could be taken down");
}

async function judge({ owner, parent, claimed }: FoundNote): Promise<"clear" | "wait" | "leave"> {
  if (claimed && (await isAlive(claimed))) return "wait";
  if (!(await isAlive(owner))) return "clear";
  // A process without its vitest is about to end.
  return parent && !(await isAlive(parent)) ? "wait" : "leave";
}

/** Returns false if another process has claimed the note first. */
async function claim({ file, claimed }: FoundNote, me: ProcessIdentity): Promise<boolean> {
  return rename(claimed ? claimedName(file, claimed) : file, claimedName(file, me)).then(
    () => true,
    () => false,
  );
}

function claimedName(file: string, { pid, startTime }: ProcessIdentity): string {
  return `${file}.${pid}-${startTime}`;
}

function describe(remains: Remains): string {
  switch (remains.kind) {
    case "cluster":
    case "containerd":
      return `${remains.kind} ${remains.name}`;
    case "directory":
      return remains.path;
    case "undo":
      return remains.command.join(" ");
  }
}

async function takeDown(remains: Remains): Promise<void> {
  switch (remains.kind) {
    case "cluster":
      for (let times = 0; times < tearDownsMax; times++) {
        await tearDown(systemClock, remains.name);
        await systemClock.sleep(200);
        if ((await findLeftovers(remains.name)).length === 0) return;
      }
      throw new Error(`cluster ${remains.name} does not go: ${(await findLeftovers(remains.name)).join(", ")}`);
    case "containerd":
      return removePrivateContainerd({ clock: systemClock }, remains);
    case "directory":
      return rm(remains.path, { recursive: true, force: true });
    case "undo": {
      const [program, ...args] = remains.command;
      await runProgram(program, args);
    }
  }
}
