import { rmSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { loadKubeconfig } from "@kintsugi/client";
import { findOciRuntime, ociRuntimeNamed } from "@kintsugi/lab";
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

// npm run bench [-- startup idle healing kubelet api store objects simulation] [--json] [--kubeconfig FILE] [--runs N] [--seconds N] [--objects N] [--oci-runtime runc|crun]
// The OCI runtime is that of the sections healing and kubelet; as for `up`, it is crun where that is installed.
// With --kubeconfig only the API is measured: whatever server that file names.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    kubeconfig: { type: "string" },
    runs: { type: "string", default: "5" },
    seconds: { type: "string", default: "10" },
    objects: { type: "string", default: "100000" },
    "oci-runtime": { type: "string" },
    output: { type: "string" },
  },
});
// npm takes a --json that no "--" comes before for its own, and hands it on like this.
const asJson = values.json || process.env["npm_config_json"] === "true";
const runs = Number(values.runs);
const asked = values["oci-runtime"];
const ociRuntime = await findOciRuntime(asked === undefined ? undefined : ociRuntimeNamed(asked));
const durationMs = Number(values.seconds) * 1000;

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
  objects: () => measureManyObjects(Number(values.objects)),
  api: async () => {
    if (values.kubeconfig !== undefined) return measureApi(loadKubeconfig(values.kubeconfig), { durationMs });
    const name = `bench-api-${process.pid}`;
    await bringUp(name, ["--nodes", "1", "--profile", "default"]);
    await using cluster = await openBenchCluster(name);
    const access = loadKubeconfig(cluster.known.paths.adminKubeconfig);
    const latency = await measureWatchLatency(cluster);
    return [...latency, ...(await measureApi(access, { durationMs })), ...(await measureWatches(access, durationMs))];
  },
};

const wanted =
  values.kubeconfig === undefined ? (positionals.length > 0 ? positionals : Object.keys(sections)) : ["api"];
const figures: Figure[] = [];
for (const name of wanted) {
  const measure = sections[name];
  if (!measure) throw new Error(`there is no section "${name}"; there are ${Object.keys(sections).join(", ")}`);
  process.stderr.write(`measuring ${name} ...\n`);
  figures.push(...(await measure()));
}
rmSync(benchKubeconfig, { force: true });
const machine = `${cpus()[0]?.model ?? "unknown processor"}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, ${ociRuntime}`;
const text = asJson ? JSON.stringify({ machine, figures }, null, 2) : `${machine}\n\n${formatFigures(figures)}`;
if (values.output !== undefined) writeFileSync(values.output, `${text}\n`);
console.log(text);
