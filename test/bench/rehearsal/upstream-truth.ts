import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { isPodActive, isPodBound, type Pod, pods } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import { systemClock } from "@kintsugi/clock";
import {
  type ClusterPicture,
  makePicture,
  type RehearsalQuestion,
  startState,
  type Timings,
  timingsOf,
} from "@kintsugi/rehearsal";
import { drawnBehaviour, readSource, runQuestion } from "@kintsugi/simulator/factory";
import { mustRun } from "../../support/run-program.ts";
import type { Figure } from "../figure.ts";
import { type HollowTarget, openHollowTarget } from "../hollow/hollow-target.ts";
import { type KubernetesPlane, kubernetesPrograms, startKubernetes } from "../peers/kubernetes-plane.ts";
import { follow } from "../seen-by-client.ts";
import { isWhole, MeasuredRun } from "./measured-run.ts";
import { append, sha256, withoutTimes } from "./registered.ts";
import {
  predictionOf,
  type PredictedWorkload,
  predictionRuns,
  type Repetition,
  truthFigures,
} from "./truth-figures.ts";
import { type UpstreamFault, upstreamFaults } from "./upstream-faults.ts";
import { upstreamManifests, upstreamNamespace, upstreamPods, upstreamWorkloads } from "./upstream-workloads.ts";

const run = promisify(execFile);
const nodeCount = 20;
const settleMaxMs = 180_000;
const settledMs = 5_000;

/** Pods without a node at the end of a fault: predicted, measured, and both. */
interface Waiting {
  predicted: number;
  measured: number;
  both: number;
}

interface Bench {
  readonly plane: KubernetesPlane;
  readonly hollow: HollowTarget;
  readonly informer: Informer<Pod>;
  readonly log: string;
  readonly waiting: Waiting;
}

/**
 * Measures how accurate rehearsals are for the control plane of Kubernetes 1.20 with hollow nodes.
 * Each prediction is written down with its hash, and only then the fault is injected.
 * @param peer The folder of the programs. They are built if it is undefined.
 * @param words Only faults whose names contain one of these words, unless the list is empty.
 */
export async function measureUpstreamTruth(
  runs: number,
  { peer, words }: { peer: string | undefined; words: readonly string[] },
): Promise<Figure[]> {
  const chosen = upstreamFaults.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  await using plane = await startKubernetes(await kubernetesPrograms(peer), "kubernetes");
  const flags = ["--cpu", "2"];
  await using hollow = await openHollowTarget(nodeCount, plane.kubeconfig, { profile: "kubernetes", flags });
  await mustRun("kubectl", ["--kubeconfig", plane.kubeconfig, "apply", "-f", "-"], { input: upstreamManifests() });
  const log = join(tmpdir(), `kintsugi-rehearsal-upstream-${process.pid}.jsonl`);
  process.stderr.write(`predictions and measurements: ${log}\n`);
  const stop = new AbortController();
  const repetitions: Repetition[] = [];
  const waiting = { predicted: 0, measured: 0, both: 0 };
  try {
    const informer = await follow(hollow.client, { type: pods, namespace: upstreamNamespace }, stop.signal);
    const bench = { plane, hollow, informer, log, waiting };
    for (let round = 0; round < runs; round++) {
      for (const fault of chosen) {
        await untilWhole(informer);
        repetitions.push(await repeat(bench, { fault, seed: 1 + repetitions.length * 100 }));
      }
    }
  } finally {
    stop.abort();
  }
  return [...truthFigures(repetitions), ...waitingFigures(waiting)];
}

async function repeat(
  { plane, hollow, informer, log, waiting }: Bench,
  { fault, seed }: { fault: UpstreamFault; seed: number },
): Promise<Repetition> {
  const kubectl = async (...more: string[]) =>
    (await run("kubectl", ["--kubeconfig", plane.kubeconfig, ...more], { maxBuffer: 2 ** 26 })).stdout;
  const picture = await pictureOf(plane.kubeconfig, kubectl);
  const nodeOf = (app: string) => informer.list().find((pod) => appOf(pod) === app)?.spec?.nodeName ?? "";
  const targets = fault.targets(nodeOf, (node) => zoneOf(picture, node));
  const question = fault.question(targets);
  const calibrations = { assumed: timingsOf({ ...picture, objects: withoutTimes(picture) }), dump: timingsOf(picture) };
  const predicted: Record<string, readonly PredictedWorkload[]> = {};
  let expected = new Map<string, number>();
  for (const [calibration, timings] of Object.entries(calibrations)) {
    const outcomes = await predict(picture, { timings, question, seed });
    predicted[calibration] = upstreamWorkloads.map((workload) => predictionOf(workload, outcomes));
    expected = countsOf((outcomes[0]?.pending ?? []).map(({ workload }) => workload));
  }
  const registered = { scenario: fault.name, question, seed, predicted, expected: [...expected] };
  append(log, { ...registered, sha256: sha256(registered) });
  const measuring = new MeasuredRun(picture, informer);
  await fault.strike({ run: measuring, targets, hollow, plane, kubectl });
  const left = informer.list().filter((pod) => isPodActive(pod) && !isPodBound(pod));
  const found = countsOf(left.map(workloadOf));
  const measured = measuring.end();
  for (const workload of new Set([...expected.keys(), ...found.keys()])) {
    const [one, other] = [expected.get(workload) ?? 0, found.get(workload) ?? 0];
    waiting.predicted += one;
    waiting.measured += other;
    waiting.both += Math.min(one, other);
  }
  append(log, { scenario: fault.name, of: sha256(registered), measured, found: [...found] });
  const words = measured.map(({ workload, downtimeMs, degradedMs }) => `${workload} ${downtimeMs} ${degradedMs}`);
  process.stderr.write(`${fault.name}: ${words.join(", ")}\n`);
  await hollow.setPower(targets, null);
  for (const name of targets) await kubectl("uncordon", name);
  // Duplicates of a zone's nodes remain in the queue of the node lifecycle controller of 1.20 after
  // an outage, and delay the zone's next evictions by 10 s each (kubernetes/kubernetes#96876).
  await plane.killControllers();
  plane.startControllers();
  return { scenario: fault.name, predicted, measured };
}

/**
 * Reads the cluster as `kintsugi rehearse` does. Kubernetes 1.20 serves budgets only in
 * policy/v1beta1, whose fields follow policy/v1. Hollow kubelets report their own version.
 */
async function pictureOf(
  kubeconfig: string,
  kubectl: (...words: string[]) => Promise<string>,
): Promise<ClusterPicture> {
  const read = await readSource({ from: undefined, kubeconfig, context: undefined, nodes: undefined }, () => {});
  const budgets = JSON.parse(await kubectl("get", "pdb", "-A", "-o", "json")) as { items: object[] };
  const objects = [...read.objects, ...budgets.items.map((item) => ({ ...item, apiVersion: "policy/v1" }))];
  return { ...makePicture({ ...read, objects } as typeof read), minor: 20 };
}

async function predict(
  picture: ClusterPicture,
  { timings, question, seed }: { timings: Timings; question: RehearsalQuestion; seed: number },
) {
  const start = { ...startState(picture), isKintsugi: false };
  const behaviour = drawnBehaviour(timings, start);
  const outcomes = [];
  for (let index = 0; index < predictionRuns; index++)
    outcomes.push(await runQuestion({ start, behaviour }, { question, seed: seed + index }));
  return outcomes;
}

/** Returns the nodes of a node's zone. */
function zoneOf(picture: ClusterPicture, node: string): string[] {
  const all = (picture.objects.get("nodes") ?? []).map(({ metadata }) => metadata);
  const zone = (name: string) => all.find((each) => each.name === name)?.labels?.["topology.kubernetes.io/zone"];
  return all.flatMap(({ name = "" }) => (zone(name) === zone(node) ? [name] : []));
}

function waitingFigures({ predicted, measured, both }: Waiting): Figure[] {
  const share = (total: number) => (total === 0 ? 100 : (both * 100) / total);
  const detail = `${predicted} predicted, ${measured} measured, ${both} both`;
  const figure = (id: string, what: string, value: number): Figure => ({
    id,
    what,
    value,
    unit: "%",
    goal: 100,
    detail,
  });
  return [
    figure("rehearsal.upstream.precision", "pods predicted without a node that had none", share(predicted)),
    figure("rehearsal.upstream.recall", "pods without a node that were predicted", share(measured)),
  ];
}

function appOf({ metadata }: Pod): string {
  return metadata.labels?.["app"] ?? "";
}

function workloadOf(pod: Pod): string {
  return upstreamWorkloads.find((workload) => workload.endsWith(`/${appOf(pod)}`)) ?? "";
}

function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

async function untilWhole(informer: Informer<Pod>): Promise<void> {
  const untilMs = systemClock.monotonicMs() + settleMaxMs;
  while (!isWhole(informer, upstreamPods)) {
    if (systemClock.monotonicMs() > untilMs) throw new Error("the measured cluster does not become whole again");
    await systemClock.sleep(500);
  }
  await systemClock.sleep(settledMs);
}
