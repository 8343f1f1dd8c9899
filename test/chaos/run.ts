import { join } from "node:path";
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { findProgram } from "@kintsugi/lab";
import { isBuilt, whyNoClusters } from "../support/host-abilities.ts";
import { repository } from "../support/lab-cluster.ts";
import { faultList } from "./faults/fault-list.ts";
import { formatReport, voidBecause } from "./report.ts";
import { runChaos } from "./run-chaos.ts";

// npm run chaos [-- --minutes 10] [--seed N] [--nodes N] [--faults "name,name"] [--once] [--json] [--list]
// --faults takes names, parts of names, or families; --once injects each of them once, in that order.

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    seed: { type: "string" },
    nodes: { type: "string", default: "3" },
    faults: { type: "string", default: "" },
    once: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  },
});

const wanted = values.faults.split(",").filter((text) => text !== "");
for (const text of wanted) {
  if (!faultList.some(({ name, family }) => family === text || name.includes(text)))
    fail(`no fault is called "${text}"; --list names them`);
}
const faults =
  wanted.length === 0
    ? faultList
    : wanted.flatMap((text) => faultList.filter(({ name, family }) => family === text || name.includes(text)));
const minutes = Number(values.minutes);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
if (!(minutes > 0) || !Number.isInteger(seed)) fail("--minutes and --seed are numbers");
if (values.list) {
  console.log(faultList.map(({ family, name }) => `${family.padEnd(10)} ${name}`).join("\n"));
  process.exit(0);
}
const lacking =
  whyNoClusters() ??
  (isBuilt(repository) ? undefined : "run `npm run bundle` first") ??
  (findProgram("strace", process.env["PATH"] ?? "") === undefined ? "strace is not installed" : undefined);
if (lacking !== undefined) fail(lacking);

const startedMs = performance.now();
const say = (line: string) => {
  process.stderr.write(`${((performance.now() - startedMs) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);
};
say(`seed ${seed}`);
const stopping = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.once(name, () => {
    say("ending early");
    stopping.abort();
  });
}
const report = await runChaos({
  seed,
  durationMs: values.once ? undefined : minutes * 60_000,
  faults,
  nodeCount: Number(values.nodes),
  lastsMaxMs: 60_000,
  recoveryMaxMs: 120_000,
  evidenceDirectory: join(tmpdir(), `kintsugi-chaos-${seed}`),
  say,
  signal: stopping.signal,
});
console.log(values.json ? JSON.stringify(report, null, 2) : formatReport(report));
process.exit(report.violations.length === 0 && voidBecause(report) === undefined ? 0 : 1);

function fail(message: string): never {
  process.stderr.write(`ERROR: ${message}\n`);
  process.exit(2);
}
