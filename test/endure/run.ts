import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { flag, FlagError, readFlags, readOrExplain } from "@kintsugi/daemon";
import { isBuilt } from "../support/host-abilities.ts";
import { repository } from "../support/lab-cluster.ts";
import {
  afterTurn,
  beginEndurance,
  endLines,
  type Endurance,
  nextTurn,
  turnNames,
  type TurnName,
} from "./endurance.ts";
import { type EnduranceTurn, turns } from "./turns.ts";

const program = {
  name: "npm run endure --",
  description:
    "Searches for failures by turns, for hours: writes over kills, simulated runs, drawn requests, planted bugs, chaos.",
};
const flags = {
  hours: flag.number({ help: "How long turns begin, over all starts of this run", min: 0.01, fallback: 1 }),
  turns: flag.list({ help: `Only these: ${turnNames.join(", ")}`, fallback: [] }),
  directory: flag.text({ help: "Place of the state and of failures", fallback: "endurance" }),
  fresh: flag.switch({ help: "Begin from nothing instead of going on" }),
};

/** Limit on the characters of a turn's stored output, which is its end. */
const outputMaxCharacters = 8_000_000;

/**
 * Time limit of a turn. A turn takes minutes, and many times as long at the lowest priority next to
 * other work. A turn that exceeds the limit is ended, and has failed.
 */
const turnMaxMs = 2 * 3_600_000;

const { hours, directory, wanted, fresh } = readOrExplain("endure", () => {
  const values = readFlags(program, flags, process.argv.slice(2));
  const unknown = values.turns.find((name) => !turnNames.some((each) => each === name));
  if (unknown !== undefined) throw new FlagError(`--turns: there is no "${unknown}"; known: ${turnNames.join(", ")}`);
  const wanted = turnNames.filter((name) => values.turns.length === 0 || values.turns.includes(name));
  return { ...values, wanted, directory: resolve(repository, values.directory) };
});
if (!isBuilt(repository)) fail("run `npm run bundle` first");
mkdirSync(directory, { recursive: true });
const stateFile = join(directory, "state.json");
if (fresh) rmSync(stateFile, { force: true });

const possible = wanted.filter((name) => {
  const reason = turns[name].whyNot?.();
  if (reason !== undefined) say(`not run: ${name}: ${reason}`);
  return reason === undefined;
});
if (possible.length === 0) fail("this host can have none of these turns");

let isStopping = false;
let running: ReturnType<typeof spawn> | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    isStopping = true;
    running?.kill("SIGTERM");
  });

let state = readState();
if (state.turns > 0) say(`going on after ${state.turns} turns and ${(state.spentMs / 3_600_000).toFixed(2)} hours`);
while (!isStopping && state.spentMs < hours * 3_600_000) {
  const name = nextTurn(state, possible);
  const before = state;
  const startedMs = performance.now();
  const outcome = await take(turns[name], before.nextSeed);
  // A turn that was ended from outside is repeated.
  if (isStopping) break;
  const tookMs = performance.now() - startedMs;
  const commit = currentCommit();
  const failureFile = outcome.counts === undefined ? keep(name, before.nextSeed, outcome.output) : undefined;
  state = afterTurn(
    before,
    { turn: name, seeds: turns[name].seeds, commit },
    { counts: outcome.counts ?? {}, tookMs, ...(failureFile === undefined ? {} : { failureFile }) },
  );
  writeState(state);
  const result = failureFile === undefined ? JSON.stringify(outcome.counts) : `FAILED: ${failureFile}`;
  say(`${name}, seed ${before.nextSeed}: ${result} (${Math.round(tookMs / 1000)} s)`);
}
if (!isStopping) rmSync(stateFile, { force: true });
for (const line of endLines(state)) console.log(line);
process.exit(state.failures.length === 0 ? 0 : 1);

/** Runs a turn's program; the counts are absent when it failed. */
async function take(
  turn: EnduranceTurn,
  seed: number,
): Promise<{ counts: ReturnType<EnduranceTurn["read"]>; output: string }> {
  const [command = "", ...words] = turn.command(seed);
  const child = spawn(command, words, { cwd: directory, stdio: ["ignore", "pipe", "pipe"] });
  running = child;
  let output = `${[command, ...words].join(" ")}\n`;
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output = `${output}${chunk.toString()}`.slice(-outputMaxCharacters)));
  const limit = setTimeout(() => child.kill("SIGKILL"), turnMaxMs);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  clearTimeout(limit);
  running = undefined;
  return { counts: code === 0 ? turn.read(output) : undefined, output: `${output}\nexit code ${code}\n` };
}

function keep(name: TurnName, seed: number, output: string): string {
  const file = join(directory, `${name}-${seed}.txt`);
  appendFileSync(file, output);
  return file;
}

function readState(): Endurance {
  if (existsSync(stateFile)) return JSON.parse(readFileSync(stateFile, "utf8")) as Endurance;
  // Seeds of other runs differ, because runs begin at different seconds.
  return beginEndurance(Math.floor(Date.now() / 1000) % 1_000_000_000);
}

function writeState(next: Endurance): void {
  writeFileSync(`${stateFile}.new`, JSON.stringify(next, null, 2));
  renameSync(`${stateFile}.new`, stateFile);
}

function currentCommit(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short=8", "HEAD"], { cwd: repository, encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
}

function say(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${line}\n`);
}

function fail(message: string): never {
  process.stderr.write(`endure: ${message}\n`);
  process.exit(1);
}
