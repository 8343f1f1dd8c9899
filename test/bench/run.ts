import { rmSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { type ClusterAccess, InvalidKubeconfig, loadKubeconfig } from "@kintsugi/client";
import { flag, FlagError, readCommandLine, readOrExplain } from "@kintsugi/daemon";
import { findOciRuntime, ociRuntimes } from "@kintsugi/lab";
import { measureApi } from "./api-load.ts";
import { benchKubeconfig, bringUp, openBenchCluster } from "./bench-cluster.ts";
import { type Figure, formatFigures } from "./figure.ts";
import { measureHealing } from "./healing.ts";
import { measureAnswers } from "./kubelet/answers.ts";
import { measureFullNode } from "./kubelet/full-node.ts";
import { measureRuntimeAlone } from "./kubelet/runtime-alone.ts";
import { measureManyObjects } from "./many-objects.ts";
import { measureCommits } from "./store-commits.ts";
import { measureWatchLatency } from "./watch-latency.ts";
import { measureWatches } from "./watch-load.ts";
import { measureSimulation } from "./simulation.ts";
import { measureIdle, measureStartup } from "./startup.ts";

const flags = {
  json: flag.switch({ help: "The figures as one JSON object" }),
  kubeconfig: flag.path({ help: "Measures the API alone: of whatever server this file names" }),
  runs: flag.count({ help: "How often what takes long is repeated", min: 1, fallback: 5 }),
  seconds: flag.number({ help: "How long a load lasts", min: 1, fallback: 10 }),
  objects: flag.count({ help: "Objects of the section objects", min: 1, fallback: 100_000 }),
  "oci-runtime": flag.choice(ociRuntimes, {
    help: "In the sections healing and kubelet; default as for `up`: crun where it is installed",
  }),
  output: flag.path({ help: "Writes the figures here too" }),
};

const sections: Readonly<Record<string, () => Promise<Figure[]>>> = {
  startup: () => measureStartup(runs),
  idle: () => measureIdle(30_000, 30_000),
  healing: () => measureHealing({ starts: runs * 6, crashes: runs * 6, deaths: runs, ociRuntime }),
  kubelet: async () => [
    ...(await measureAnswers({ kills: runs * 6, ociRuntime })),
    ...(await measureRuntimeAlone({ count: 110, ociRuntime })),
    ...(await measureFullNode({ singles: runs * 6, windowMs: 30_000, full: 110, ociRuntime })),
  ],
  store: () => measureCommits(durationMs),
  simulation: () => measureSimulation(runs),
  objects: () => measureManyObjects(values.objects),
  api: async () => {
    if (server !== undefined) return measureApi(server, { durationMs });
    const name = `bench-api-${process.pid}`;
    await bringUp(name, ["--nodes", "1", "--profile", "default"]);
    await using cluster = await openBenchCluster(name);
    const access = loadKubeconfig(cluster.known.paths.adminKubeconfig);
    const latency = await measureWatchLatency(cluster);
    return [...latency, ...(await measureApi(access, { durationMs })), ...(await measureWatches(access, durationMs))];
  },
};

const { values, server, wanted } = readOrExplain("bench", () => {
  const known = Object.keys(sections);
  const program = {
    name: "npm run bench --",
    description: "Measures this machine and this Kintsugi. Without a section: all of them.",
    operands: { name: "section", help: known.join(", "), many: true, known },
  };
  const { flags: given, operands } = readCommandLine(program, flags, process.argv.slice(2));
  if (given.kubeconfig !== undefined && operands.some((section) => section !== "api"))
    throw new FlagError("--kubeconfig names a server of which only the section api can be measured");
  const all = given.kubeconfig === undefined ? known : ["api"];
  const server = given.kubeconfig === undefined ? undefined : accessIn(given.kubeconfig);
  return { values: given, server, wanted: operands.length > 0 ? operands : all };
});
// npm takes a --json that no "--" comes before for its own, and hands it on like this.
const asJson = values.json || process.env["npm_config_json"] === "true";
const { runs } = values;
const ociRuntime = await findOciRuntime(values["oci-runtime"]);
const durationMs = values.seconds * 1000;

const figures: Figure[] = [];
for (const name of wanted) {
  process.stderr.write(`measuring ${name} ...\n`);
  figures.push(...((await sections[name]?.()) ?? []));
}
rmSync(benchKubeconfig, { force: true });
const machine = `${cpus()[0]?.model ?? "unknown processor"}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${ociRuntime}`;
const text = asJson ? JSON.stringify({ machine, figures }, null, 2) : `${machine}\n\n${formatFigures(figures)}`;
if (values.output !== undefined) writeFileSync(values.output, `${text}\n`);
console.log(text);

function accessIn(file: string): ClusterAccess {
  try {
    return loadKubeconfig(file);
  } catch (error) {
    if (error instanceof InvalidKubeconfig) throw new FlagError(`--kubeconfig ${error.message}`, { cause: error });
    throw error;
  }
}
