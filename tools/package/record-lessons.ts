import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { systemClock } from "@kintsugi/clock";
import { readRequest, recordScenario } from "@kintsugi/simulator/factory";
import { lessons, type PlayAnswer, requestOf } from "@kintsugi/story";

// The runs of the lessons, simulated when the page is built, so that a lesson starts immediately:
// bundle/runs/<lesson>.json.gz has the answer that the worker would return. A build of the same
// simulator keeps them.

const app = join(import.meta.dirname, "../../apps/playground");
const folder = join(app, "bundle/runs");
const stamp = join(folder, "simulator.sha256");
const scenarios = join(app, "../simulator/scenarios");

const [, program = "", ...share] = process.argv;
if (share.length === 0) await writeAll();
else await writeShare(share);

async function writeAll(): Promise<void> {
  const own = createHash("sha256")
    .update(readFileSync(join(app, "bundle/simulator.js")))
    .digest("hex");
  if (readOrEmpty(stamp) === own) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const ids = lessons.filter((each) => requestOf(each) !== undefined).map(({ id }) => id);
  const processes = Math.min(availableParallelism(), ids.length);
  const shares = Array.from({ length: processes }, (_, of) => ids.filter((_id, index) => index % processes === of));
  await Promise.all(shares.map(writeInProcess));
  writeFileSync(stamp, own);
}

/** Writes some runs in a separate process, which reads TypeScript as this process does. */
async function writeInProcess(ids: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [...process.execArgv, program, ...ids]);
}

async function writeShare(ids: readonly string[]): Promise<void> {
  const texts = new Map(
    readdirSync(scenarios).map((file) => [file.replace(/\.yaml$/, ""), readFileSync(join(scenarios, file), "utf8")]),
  );
  for (const id of ids) {
    const lesson = lessons.find((each) => each.id === id);
    const request = lesson && requestOf(lesson);
    if (request === undefined) continue;
    const startedMs = systemClock.monotonicMs();
    const { report, story } = await recordScenario(readRequest(request, texts), request.commands);
    const { digest, failure } = report;
    const tookMs = Math.round(systemClock.monotonicMs() - startedMs);
    const failed = failure === undefined ? {} : { failure };
    const answer: PlayAnswer = { is: "played", recording: story(), digest, tookMs, ...failed };
    writeFileSync(join(folder, `${id}.json.gz`), gzipSync(JSON.stringify(answer)));
  }
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    mkdirSync(dirname(file), { recursive: true });
    return "";
  }
}
