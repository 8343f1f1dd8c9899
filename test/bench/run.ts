import { rmSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { profileNames } from "@kintsugi/api";
import { type ClusterAccess, InvalidKubeconfig, loadKubeconfig } from "@kintsugi/client";
import { flag, FlagError, readCommandLine, readOrExplain } from "@kintsugi/daemon";
import { findOciRuntime, ociRuntimes } from "@kintsugi/lab";
import { type Figure, formatFigures } from "./figure.ts";

const flags = {
  json: flag.switch({ help: "The figures as one JSON object" }),
  kubeconfig: flag.path({
    help: "Kubeconfig of a server to measure, in the sections api, schedule, scale and failover",
  }),
  runs: flag.count({ help: "Number of repetitions of the slow measurements", min: 1, fallback: 5 }),
  seconds: flag.number({ help: "Duration of a load", min: 1, fallback: 10 }),
  attack: flag.list({ help: "IDs of the attacks of the section hostile (default: all)" }),
  objects: flag.count({ help: "Number of objects in the section objects", min: 1, fallback: 100_000 }),
  creates: flag.count({ help: "Number of creates in each case of the section admission", min: 20, fallback: 2_000 }),
  definitions: flag.count({ help: "Number of definitions in the section crds", min: 1, fallback: 1_000 }),
  pods: flag.count({
    help: "Pods of each workload of the sections scale-up and schedule",
    min: 1,
    max: 10_000,
    fallback: 1_000,
  }),
  nodes: flag.count({
    help: "Nodes of the sections schedule, scale, failover, page, start-full and soak",
    min: 10,
    max: 5_000,
    fallback: 1_000,
  }),
  workload: flag.list({
    help: "Workloads of the section schedule, by scheduler_perf's names; default all of them",
    fallback: [],
  }),
  bare: flag.switch({
    help: "In the section schedule, use nodes without kubelets and run no controllers, as in scheduler_perf",
  }),
  "pods-per-node": flag.count({
    help: "Pods of each node in the sections scale, failover and start-full",
    min: 1,
    max: 110,
    fallback: 10,
  }),
  watchers: flag.list({ help: "Number of watchers in the section fan-out", fallback: ["1000", "5000"] }),
  minutes: flag.number({ help: "Duration of the section soak", min: 0.2, fallback: 60 }),
  heartbeats: flag.number({
    help: "Heartbeats per second in the section soak; 0 means as many as the server accepts",
    min: 0,
    fallback: 500,
  }),
  crowds: flag.list({ help: "Pods of the node that dies in the section failover", fallback: ["10", "100", "1000"] }),
  peer: flag.path({
    help: "Folder of kube-apiserver, kube-controller-manager and kube-scheduler for the sections peers and upstream (default: Kubernetes 1.20, built from Debian's source package the first time)",
    placeholder: "directory",
  }),
  faults: flag.list({
    help: "Faults of the section upstream, by words of their names; default all of them",
    fallback: [],
  }),
  rows: flag.list({
    help: "Sections that the section peers compares",
    fallback: ["api", "schedule", "scale", "failover"],
  }),
  profile: flag.choice(profileNames, { help: "Timers of the section failover", fallback: "fast" }),
  "oci-runtime": flag.choice(ociRuntimes, {
    help: "OCI runtime of the sections healing, joins and kubelet (default as for `up`: crun if it is installed)",
  }),
  output: flag.path({ help: "File to which the figures are also written" }),
};

// A section's code is loaded only when it runs: reporting a mistyped command line takes a tenth of
// the time.
const sections: Readonly<Record<string, () => Promise<Figure[]>>> = {
  startup: async () => (await import("./startup.ts")).measureStartup(runs),
  idle: async () => (await import("./startup.ts")).measureIdle(30_000, 30_000),
  healing: async () =>
    (await import("./healing.ts")).measureHealing({ starts: runs * 6, crashes: runs * 6, deaths: runs, ociRuntime }),
  balancer: async () => (await import("./cloud/balancer.ts")).measureBalancer(runs),
  machine: async () => (await import("./cloud/new-machine.ts")).measureNewMachine(runs),
  joins: async () => (await import("./daemon-joins.ts")).measureJoins({ joins: runs * 2, ociRuntime }),
  volumes: async () => (await import("./volumes.ts")).measureVolumes({ starts: runs * 4, deaths: runs, claims: 100 }),
  kubelet: async () => {
    const { measureAnswers } = await import("./kubelet/answers.ts");
    const { measureRuntimeAlone } = await import("./kubelet/runtime-alone.ts");
    const { measureFullNode } = await import("./kubelet/full-node.ts");
    return [
      ...(await measureAnswers({ kills: runs * 6, ociRuntime })),
      ...(await measureRuntimeAlone({ count: 110, ociRuntime })),
      ...(await measureFullNode({ singles: runs * 6, windowMs: 30_000, full: 110, ociRuntime })),
    ];
  },
  names: async () => (await import("./names.ts")).measureNames({ singles: 2_000, durationMs, clients: 32 }),
  store: async () => {
    const { measureCommits, measureHeartbeats } = await import("./api/store-commits.ts");
    return [...(await measureCommits(durationMs)), ...(await measureHeartbeats(durationMs))];
  },
  ha: async () => (await import("./ha/measure.ts")).measureHa({ durationMs, deaths: 6 }),
  simulation: async () => (await import("./simulation.ts")).measureSimulation(runs),
  rehearsal: async () => [
    ...(await (await import("./rehearsal/measure.ts")).measureRehearsal()),
    ...(await (await import("./rehearsal/truth.ts")).measureTruth(runs)),
  ],
  upstream: async () =>
    (await import("./rehearsal/upstream-truth.ts")).measureUpstreamTruth(runs, {
      peer: values.peer,
      words: values.faults,
    }),
  hostile: async () => [
    ...(await (await import("./hostile/measure.ts")).measureHostile(durationMs, values.attack)),
    ...(await (await import("./hostile/measure-bodies.ts")).measureBodies()),
  ],
  decisions: async () => [
    ...(await import("./schedule/decisions.ts")).measureDecisions(200),
    ...(await import("./schedule/preemptions.ts")).measurePreemptions(40),
  ],
  schedule: async () =>
    (await import("./hollow/measure-schedule.ts")).measureSchedule({
      nodes: values.nodes,
      pods: values.pods,
      workloads: values.workload,
      kubeconfig: values.kubeconfig,
      bare: values.bare,
    }),
  scale: async () =>
    (await import("./hollow/measure-scale.ts")).measureScale({
      nodes: values.nodes,
      podsPerNode: values["pods-per-node"],
      restMs: durationMs,
      kubeconfig: values.kubeconfig,
    }),
  failover: async () =>
    (await import("./hollow/measure-failover.ts")).measureFailover({
      nodes: values.nodes,
      podsPerNode: values["pods-per-node"],
      crowds: values.crowds.map(Number),
      profile: values.profile,
      kubeconfig: values.kubeconfig,
    }),
  peers: async () =>
    (await import("./peers/measure.ts")).measurePeers({
      peer: values.peer,
      rows: values.rows,
      durationMs,
      nodes: values.nodes,
      pods: values.pods,
      podsPerNode: values["pods-per-node"],
      workloads: values.workload,
      crowds: values.crowds.map(Number),
    }),
  "http-workers": async () =>
    (await import("./api/http-workers.ts")).measureHttpWorkers({ workers: [0, 1, 2], durationMs }),
  page: async () =>
    (await import("./page/measure.ts")).measurePage({
      nodes: values.nodes,
      podsPerNode: 30,
      changesPerSecond: 20,
      watchMs: durationMs,
    }),
  lessons: async () => (await import("./page/lesson-start.ts")).measureLessonStarts(),
  "fan-out": async () =>
    (await import("./large/fan-out.ts")).measureFanOut({ watchers: values.watchers.map(Number), durationMs }),
  "start-full": async () =>
    (await import("./large/start-full.ts")).measureStartFull({
      nodes: values.nodes,
      podsPerNode: values["pods-per-node"],
    }),
  soak: async () =>
    (await import("./large/soak.ts")).measureSoak({
      nodes: values.nodes,
      durationMs: values.minutes * 60_000,
      perSecond: values.heartbeats,
    }),
  "test-server": async () => (await import("./test-server/measure.ts")).measureTestServer(runs),
  "scale-up": async () => (await import("./scale-up/measure.ts")).measureScaleUp(values.pods),
  crds: async () => (await import("./definitions/measure.ts")).measureDefinitions(values.definitions),
  admission: async () => (await import("./admission/measure.ts")).measureAdmission(values.creates),
  "write-path": async () => (await import("./write-path/measure.ts")).measureWritePath(),
  objects: async () => (await import("./api/many-objects.ts")).measureManyObjects(values.objects),
  api: async () => {
    const { measureApi } = await import("./api/api-load.ts");
    if (server !== undefined) return measureApi(server, { durationMs });
    const { bringUp, openBenchCluster } = await import("./bench-cluster.ts");
    const { measureWatchLatency } = await import("./api/watch-latency.ts");
    const { measureWatches } = await import("./api/watch-load.ts");
    const name = `bench-api-${process.pid}`;
    await bringUp(name, ["--nodes", "1", "--profile", "default"]);
    await using cluster = await openBenchCluster(name);
    const access = loadKubeconfig(cluster.known.paths.adminKubeconfig);
    const latency = await measureWatchLatency(cluster);
    return [...latency, ...(await measureApi(access, { durationMs })), ...(await measureWatches(access, durationMs))];
  },
};

/** Sections that need only clients on this host. */
const ofAnyServer: ReadonlySet<string> = new Set(["api", "schedule", "scale", "failover"]);

/** Sections that take an hour, or need external programs. */
const onRequest: ReadonlySet<string> = new Set(["soak", "peers", "upstream"]);

const { values, server, wanted } = readOrExplain("bench", () => {
  const known = Object.keys(sections);
  const program = {
    name: "npm run bench --",
    description:
      "Measures this machine and this Kintsugi. Without a section: all of them except soak, peers and upstream.",
    operands: { name: "section", help: known.join(", "), many: true, known },
  };
  const { flags: given, operands } = readCommandLine(program, flags, process.argv.slice(2));
  const unmeasured = operands.find((section) => !ofAnyServer.has(section));
  if (given.kubeconfig !== undefined && unmeasured !== undefined)
    throw new FlagError(`--kubeconfig names a server of which the section ${unmeasured} cannot be measured`);
  if (given.kubeconfig !== undefined && given.bare)
    throw new FlagError("--bare stops the controllers of its own cluster: omit --kubeconfig");
  if (given.crowds.some((text) => !/^[1-9]\d{0,3}$/.test(text)))
    throw new FlagError("--crowds are whole numbers from 1 to 9999, with commas");
  const incomparable = given.rows.find((row) => !ofAnyServer.has(row));
  if (incomparable !== undefined)
    throw new FlagError(`--rows ${incomparable} is not one of ${[...ofAnyServer].join(", ")}`);
  if (given.watchers.some((text) => !/^[1-9]\d{0,3}$/.test(text)))
    throw new FlagError("--watchers are whole numbers from 1 to 9999, with commas");
  const all = given.kubeconfig === undefined ? known.filter((section) => !onRequest.has(section)) : ["api"];
  const server = given.kubeconfig === undefined ? undefined : accessIn(given.kubeconfig);
  return { values: given, server, wanted: operands.length > 0 ? operands : all };
});
// npm interprets a --json without a preceding "--" as its own, and passes it on in this form.
const asJson = values.json || process.env["npm_config_json"] === "true";
const { runs } = values;
const ociRuntime = await findOciRuntime(values["oci-runtime"]);
const durationMs = values.seconds * 1000;

const figures: Figure[] = [];
for (const name of wanted) {
  process.stderr.write(`measuring ${name} ...\n`);
  figures.push(...((await sections[name]?.()) ?? []));
}
rmSync((await import("./bench-cluster.ts")).benchKubeconfig, { force: true });
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
