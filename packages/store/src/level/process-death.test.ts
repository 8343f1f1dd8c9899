import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { afterEach, describe, expect, test } from "vitest";
import { dataOf, putData } from "../testing/changes.ts";
import { LevelStore } from "./level-store.ts";

const script = fileURLToPath(new URL("../testing/writing-process.ts", import.meta.url));
const runScript = [process.execPath, "--import", "tsx", "--conditions", "@kintsugi/source", script];
const limitMs = 60_000;
let directory = "";

afterEach(() => rm(directory, { recursive: true, force: true }));

interface Life {
  /** The last acknowledged write of each key. */
  acked: Map<string, { revision: number; round: string }>;
  failure: string | undefined;
  exitCode: number | null;
}

/**
 * Runs the writing process until it has answered `ackedMax` writes and then kills it, or until it
 * ends by itself.
 */
async function live(command: readonly string[], ackedMax: number): Promise<Life> {
  const child = spawn(command[0] ?? "", [...command.slice(1), directory], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const life: Life = { acked: new Map(), failure: undefined, exitCode: null };
  let answers = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [what, first = "", key = "", round = ""] = line.split(" ");
    if (what === "failed") life.failure = first;
    if (what !== "acked") continue;
    life.acked.set(key, { revision: Number(first), round });
    if (++answers === ackedMax) child.kill("SIGKILL");
  }
  const [exitCode] = (await exited) as [number | null];
  life.exitCode = exitCode;
  return life;
}

/**
 * Opens the store that the process left behind: every acknowledged write is present, or a later
 * write of the same writer.
 */
async function assertNothingLost({ acked }: Life): Promise<void> {
  const store = await LevelStore.open({ directory, clock: systemClock, random: systemRandom, ballastBytes: 0 });
  const newest = Math.max(...[...acked.values()].map(({ revision }) => revision));
  expect(store.revision()).toBeGreaterThanOrEqual(newest);
  for (const [key, { revision, round }] of acked) {
    const entry = store.find(key);
    expect(entry?.revision).toBeGreaterThanOrEqual(revision);
    const found = entry?.revision === revision ? String(dataOf(entry)).split("-")[0] : round;
    expect(found).toBe(round);
  }
  const before = store.revision();
  expect((await putData(store, "core/pods/default/after", 1)).revision).toBe(before + 1);
  await store.close();
}

const deaths = [1, 400, 2500];

test("a process that is killed repeatedly loses no acknowledged write", { timeout: limitMs }, async ({ task }) => {
  directory = await mkdtemp(join(tmpdir(), "kintsugi-store-"));
  for (const ackedMax of deaths) {
    const life = await live(runScript, ackedMax);
    expect(life.acked.size).toBeGreaterThan(0);
    await assertNothingLost(life);
  }
  const writes = deaths.reduce((sum, acked) => sum + acked, 0);
  // tools/summarize-tests.mjs sums it up.
  Object.assign(task.meta, { survived: { writes, kills: deaths.length } });
});

const noStrace = straceWorks() ? false : "strace cannot inject faults here";

describe.skipIf(noStrace)(`a failing fsync${noStrace ? ` (skipped: ${noStrace})` : ""}`, () => {
  test.each([
    ["of the log", "fdatasync:error=EIO:when=12"],
    ["of HEAD", "pwrite64:error=EIO:when=12"],
  ])(
    "%s ends the process with an unknown outcome, and no revision is used twice",
    { timeout: limitMs },
    async (_, fault) => {
      directory = await mkdtemp(join(tmpdir(), "kintsugi-store-"));
      const trace = [
        "strace",
        "-f",
        "-qqq",
        "-o",
        "/dev/null",
        "-e",
        "trace=fdatasync,pwrite64",
        "-e",
        `inject=${fault}`,
      ];
      const life = await live([...trace, ...runScript], Infinity);
      expect(life.failure).toBe("OutcomeUnknown");
      expect(life.exitCode).toBe(3);
      expect(life.acked.size).toBeGreaterThan(0);
      await assertNothingLost(life);
    },
  );
});

function straceWorks(): boolean {
  try {
    execFileSync("strace", ["-qqq", "-o", "/dev/null", "-e", "inject=fdatasync:error=EIO:when=9", "true"], {
      stdio: "ignore",
    });
    return true;
  } catch {
    return false;
  }
}
