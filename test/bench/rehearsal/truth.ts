import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Pod, pods } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import { systemClock } from "@kintsugi/clock";
import {
  applyRecord,
  type ClusterPicture,
  type RunOutcome,
  makePicture,
  readDocuments,
  type RehearsalQuestion,
  startState,
  type Timings,
  timingsOf,
} from "@kintsugi/rehearsal";
import { drawnBehaviour, openLiveCluster, readSource, recordCluster, runQuestion } from "@kintsugi/simulator/factory";
import { type BenchCluster, bringUp, openBenchCluster } from "../bench-cluster.ts";
import type { Figure } from "../figure.ts";
import { follow } from "../seen-by-client.ts";
import { isWhole, MeasuredRun } from "./measured-run.ts";
import { append, sha256, withoutTimes } from "./registered.ts";
import { makeWorkloads, truthNamespace } from "./truth-cluster.ts";
import {
  predictionOf,
  type PredictedWorkload,
  predictionRuns,
  type Repetition,
  truthFigures,
} from "./truth-figures.ts";

const run = promisify(execFile);
const podsWanted = 7;
const settleMaxMs = 180_000;
const silenceMs = 20_000;

/** One fault that is predicted, injected, and measured. */
interface Fault {
  readonly name: string;
  question(nodeOf: (app: string) => string): RehearsalQuestion;
  /** Injects the fault, and returns when the injection is complete. */
  strike(act: Acting): Promise<void>;
  mend(act: Acting): Promise<void>;
}

interface Acting {
  readonly cluster: BenchCluster;
  readonly run: MeasuredRun;
  readonly question: RehearsalQuestion;
  readonly kubectl: (...words: string[]) => Promise<void>;
}

const nodeOff = (app: string, more: string[] = []): Fault => ({
  name: `${more.length + 1} node${more.length > 0 ? "s" : ""} off, with ${app}`,
  question: (nodeOf) => ({
    kind: "nodes-off",
    about: "nodes go off",
    nodes: [...new Set([nodeOf(app), ...more.map(nodeOf)])],
  }),
  strike: async ({ cluster, run, question }) => {
    for (const name of nodesIn(question)) {
      await cluster.kintsugi("node", "kill", name);
      run.nodes([name], "lost");
    }
    // Nothing changes until the silence is detected, and is no longer tolerated.
    await run.untilRest({ atLeastMs: 20_000, quietMs: 90_000, mostMs: 170_000 });
  },
  mend: async ({ cluster, question }) => {
    for (const name of nodesIn(question)) await cluster.kintsugi("node", "return", name);
  },
});

const silence: Fault = {
  name: "silence within grace",
  question: (nodeOf) => ({
    kind: "scenario",
    about: "a node is cut off",
    faults: [{ fault: "cut-node", atMs: 0, forMs: silenceMs, target: nodeOf("solo") }],
    runMs: 2 * silenceMs,
  }),
  strike: async ({ cluster, run, question }) => {
    const names = nodesIn(question);
    const beganMs = systemClock.monotonicMs();
    for (const name of names) await cluster.kintsugi("node", "partition", name);
    run.nodes(names, "lost");
    // The command that repairs takes as long as the command that cut.
    await systemClock.sleep(Math.max(0, silenceMs - (systemClock.monotonicMs() - beganMs)));
    for (const name of names) await cluster.kintsugi("node", "heal", name);
    run.nodes(names, "back");
    await run.untilRest({ atLeastMs: silenceMs + 5_000, quietMs: 10_000, mostMs: 60_000 });
  },
  mend: async () => {},
};

const drain: Fault = {
  name: "drain under a budget",
  question: (nodeOf) => ({
    kind: "scenario",
    about: "a node is drained",
    faults: [{ fault: "drain", atMs: 0, forMs: 60_000, target: nodeOf("solo") }],
    runMs: 60_000,
  }),
  strike: async ({ run, question, kubectl }) => {
    for (const name of nodesIn(question)) await kubectl("drain", name, "--ignore-daemonsets", "--timeout=100s");
    await run.untilRest({ atLeastMs: 5_000, quietMs: 20_000, mostMs: 120_000 });
  },
  mend: async ({ question, kubectl }) => {
    for (const name of nodesIn(question)) await kubectl("uncordon", name);
  },
};

const deletion: Fault = {
  name: "all pods of a workload deleted",
  question: () => ({ kind: "pods-deleted", about: "deleted", workload: `${truthNamespace}/deployment/web` }),
  strike: async ({ run, kubectl }) => {
    await kubectl("delete", "pods", "-n", truthNamespace, "-l", "app=web", "--wait=false");
    await run.untilRest({ atLeastMs: 2_000, quietMs: 20_000, mostMs: 60_000 });
  },
  mend: async () => {},
};

const faults = [deletion, silence, nodeOff("solo"), drain, nodeOff("db"), nodeOff("solo", ["db"])];

/**
 * Measures how accurate rehearsals are: each prediction is written down with its hash, and only
 * then the fault is injected into real containers.
 */
export async function measureTruth(runs: number): Promise<Figure[]> {
  const name = `bench-truth-${process.pid}`;
  await bringUp(name, ["--nodes", "3", "--profile", "kubernetes", "--no-proxy", "--no-csi"]);
  await using cluster = await openBenchCluster(name);
  const stop = new AbortController();
  const log = join(tmpdir(), `kintsugi-rehearsal-truth-${process.pid}.jsonl`);
  process.stderr.write(`predictions and measurements: ${log}\n`);
  const lines: string[] = [];
  const reader = openLiveCluster(cluster.known.paths.adminKubeconfig, undefined);
  const deps = { reader, clock: systemClock, write: (text: string) => void lines.push(text), say: () => {} };
  const recorded = recordCluster(deps, { signal: stop.signal });
  const repetitions: Repetition[] = [];
  try {
    await makeWorkloads(cluster.client);
    const informer = await follow(cluster.client, { type: pods, namespace: truthNamespace }, stop.signal);
    for (let round = 0; round < runs; round++) {
      for (const fault of faults) {
        await untilWhole(informer);
        const seed = 1 + repetitions.length * 100;
        const repetition = await repeat({ fault, cluster, informer, seed }, { log, record: () => lines.join("") });
        repetitions.push(repetition);
      }
    }
  } finally {
    stop.abort();
    await recorded;
    await reader.close();
  }
  return truthFigures(repetitions);
}

interface Repeating {
  readonly fault: Fault;
  readonly cluster: BenchCluster;
  readonly informer: Informer<Pod>;
  readonly seed: number;
}

async function repeat(
  { fault, cluster, informer, seed }: Repeating,
  { log, record }: { log: string; record: () => string },
): Promise<Repetition> {
  const kubeconfig = cluster.known.paths.adminKubeconfig;
  const from = { from: undefined, kubeconfig, context: undefined, nodes: undefined };
  const source = await readSource(from, () => {});
  const picture = makePicture(source);
  const { objects, observed } = readDocuments(record(), "the record");
  const { past } = applyRecord(objects, observed ?? []);
  const nodeOf = (app: string) =>
    informer.list().find(({ metadata }) => metadata.labels?.["app"] === app)?.spec?.nodeName ?? "";
  const question = fault.question(nodeOf);
  const calibrations = {
    assumed: timingsOf({ ...picture, objects: withoutTimes(picture) }),
    dump: timingsOf(picture),
    record: timingsOf(makePicture({ ...source, past })),
  };
  const predicted: Record<string, readonly PredictedWorkload[]> = {};
  for (const [calibration, timings] of Object.entries(calibrations))
    predicted[calibration] = await predict(picture, { timings, question, seed });
  const registered = { scenario: fault.name, question, seed, dump: sha256(source.objects), predicted };
  append(log, { ...registered, sha256: sha256(registered) });
  const measuring = new MeasuredRun(picture, informer);
  const kubectl = async (...words: string[]) => void (await run("kubectl", ["--kubeconfig", kubeconfig, ...words]));
  const acting = { cluster, run: measuring, question, kubectl };
  await fault.strike(acting);
  const measured = measuring.end();
  append(log, { scenario: fault.name, of: sha256(registered), measured });
  process.stderr.write(`${fault.name}: ${measured.map(wordsOf).join(", ")}\n`);
  await fault.mend(acting);
  return { scenario: fault.name, predicted, measured };
}

async function predict(
  picture: ClusterPicture,
  { timings, question, seed }: { timings: Timings; question: RehearsalQuestion; seed: number },
): Promise<PredictedWorkload[]> {
  const start = startState(picture);
  const behaviour = drawnBehaviour(timings, start);
  const runs: RunOutcome[] = [];
  for (let run = 0; run < predictionRuns; run++)
    runs.push(await runQuestion({ start, behaviour }, { question, seed: seed + run }));
  return ["deployment/web", "deployment/solo", "deployment/pair", "statefulset/db"].map((workload) =>
    predictionOf(`${truthNamespace}/${workload}`, runs),
  );
}

async function untilWhole(informer: Informer<Pod>): Promise<void> {
  const untilMs = systemClock.monotonicMs() + settleMaxMs;
  while (!isWhole(informer, podsWanted)) {
    if (systemClock.monotonicMs() > untilMs) throw new Error("the measured cluster does not become whole again");
    await systemClock.sleep(500);
  }
  // The last status of a kubelet and the endpoints follow the last pod.
  await systemClock.sleep(3_000);
}

function nodesIn(question: RehearsalQuestion): string[] {
  if (question.kind === "nodes-off") return [...question.nodes];
  return question.kind === "scenario" ? question.faults.flatMap(({ target }) => target ?? []) : [];
}

function wordsOf({ workload, downtimeMs, degradedMs }: ReturnType<MeasuredRun["end"]>[number]): string {
  return `${workload.split("/").at(-1)} down ${downtimeMs} ms, degraded ${degradedMs} ms`;
}
