import { join } from "node:path";
import { tmpdir } from "node:os";
import { flag, FlagError, readFlags, readOrExplain } from "@kintsugi/daemon";
import { planServers } from "@kintsugi/lab";
import { suggest } from "@kintsugi/yaml-text";
import { isBuilt, whyNoClusters, whyNoPackage } from "../support/host-abilities.ts";
import { repository } from "../support/lab-cluster.ts";
import { faultList, sharedFaultList } from "./faults/fault-list.ts";
import { formatReport, voidBecause } from "./report.ts";

const program = {
  name: "npm run chaos --",
  description: "Breaks parts of a real cluster under load; says what was lost, and how long it took to be whole.",
};
const flags = {
  minutes: flag.number({ help: "How long faults are injected", min: 0.1, fallback: 2 }),
  seed: flag.count({ help: "The same faults in the same order; else drawn" }),
  servers: flag.count({ help: "Machines of the control plane: 1, which is the host, 3 or 5", fallback: 1 }),
  nodes: flag.count({ help: "Nodes of the cluster", min: 1, max: 20, fallback: 3 }),
  faults: flag.list({ help: "Only these: names, parts of names, or families", fallback: [] }),
  once: flag.switch({ help: "Each of them once, in that order, instead of minutes" }),
  json: flag.switch({ help: "The report as one JSON object" }),
  list: flag.switch({ help: "Which faults there are, and in which families" }),
};

const { values, all, faults } = readOrExplain("chaos", () => {
  const given = readFlags(program, flags, process.argv.slice(2));
  planServers(given.servers);
  const all = given.servers === 1 ? faultList : sharedFaultList;
  const named = given.faults.flatMap((text) => faultsNamed(text, all));
  return { values: given, all, faults: given.faults.length === 0 ? all : named };
});
const seed = values.seed ?? Math.floor(Math.random() * 1_000_000);
if (values.list) {
  console.log(all.map(({ family, name }) => `${family.padEnd(10)} ${name}`).join("\n"));
  process.exit(0);
}
const lacking =
  whyNoClusters() ?? (isBuilt(repository) ? undefined : "run `npm run bundle` first") ?? whyNoPackage("strace");
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
// The rest is loaded only now, so that help, or a mistyped command line, is answered in half the
// time.
const { runChaos } = await import("./run-chaos.ts");
const report = await runChaos({
  seed,
  durationMs: values.once ? undefined : values.minutes * 60_000,
  faults,
  nodeCount: values.nodes,
  servers: values.servers,
  lastsMaxMs: 60_000,
  recoveryMaxMs: 120_000,
  evidenceDirectory: join(tmpdir(), `kintsugi-chaos-${seed}`),
  say,
  signal: stopping.signal,
});
console.log(values.json ? JSON.stringify(report, null, 2) : formatReport(report));
process.exit(report.violations.length === 0 && voidBecause(report) === undefined ? 0 : 1);

function faultsNamed(text: string, all: typeof faultList): typeof faultList {
  const found = all.filter(({ name, family }) => family === text || name.includes(text));
  const known = all.flatMap(({ name, family }) => [family, name]);
  if (found.length === 0) throw new FlagError(`no fault is called "${text}": ${suggest(text, known)} --list names all`);
  return found;
}

function fail(message: string): never {
  process.stderr.write(`chaos: ${message}\n`);
  process.exit(1);
}
