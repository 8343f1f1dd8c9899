import { loadavg } from "node:os";
import { configMaps, isApiError, type Pod, pods } from "@kintsugi/api";
import type { Client, Informer } from "@kintsugi/client";
import { systemClock } from "@kintsugi/clock";
import { eventually } from "../../support/run-program.ts";
import type { Figure } from "../figure.ts";
import { printed } from "./printed.ts";
import { followPods } from "../seen-by-client.ts";
import { eachOf } from "../each-of.ts";
import { openBareTarget } from "./bare-target.ts";
import { type MeasuredCluster, openHollowTarget } from "./hollow-target.ts";
import { colourLabels, perfWorkloads, type PerfWorkload, podSpec, preemptor } from "./perf-workloads.ts";

// Runs upstream's scheduler_perf through the API of a whole cluster: from the first write of the
// measured pods until a watch has observed the last of them bound. Hollow kubelets run the pods in
// the meantime; or, as in upstream's harness, the nodes are only objects.

/** A run below this rate is aborted. */
const slowestPerSecond = 5;
const patienceMinMs = 60_000;
/** Number of nodes from which on the goals of 5,000 nodes apply. */
const largeNodes = 5_000;
/**
 * Interval at which objects are created and deleted while MixedChurn is measured (upstream's
 * scheduler_perf).
 */
const churnEveryMs = 1_000;
/**
 * Interval at which PreemptionAsync creates a pod that preempts other pods (upstream's
 * scheduler_perf).
 */
const preemptorEveryMs = 200;

export interface ScheduleOptions {
  nodes: number;
  pods: number;
  /** Names of the workloads to measure; empty for all. */
  workloads: readonly string[];
  kubeconfig: string | undefined;
  /** Nodes are objects without kubelets, and controllers do not run. */
  bare: boolean;
}

/** @throws Error if a workload is not known. */
export async function measureSchedule(options: ScheduleOptions): Promise<Figure[]> {
  const { bare } = options;
  const chosen = chooseWorkloads(options.workloads).filter(({ needsControllers }) => !(bare && needsControllers));
  await using target = bare
    ? await openBareTarget(options.nodes)
    : await openHollowTarget(options.nodes, options.kubeconfig);
  const following = new AbortController();
  try {
    const informer = await followPods(target.client, following.signal);
    const figures: Figure[] = [];
    for (const workload of chosen) {
      const count = workload.count(options.nodes, options.pods);
      figures.push(...printed(await measureOne({ target, informer, count, bare }, workload)));
    }
    process.stderr.write("removing the cluster ...\n");
    return figures;
  } finally {
    following.abort();
  }
}

function chooseWorkloads(names: readonly string[]): readonly PerfWorkload[] {
  const known = perfWorkloads.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`--workload ${unknown} is none of ${known.join(", ")}`);
  return perfWorkloads.filter(({ name }) => names.length === 0 || names.includes(name));
}

interface Bench {
  target: MeasuredCluster;
  informer: Informer<Pod>;
  count: number;
  /** The pods are not run by a kubelet. */
  bare: boolean;
}

async function measureOne(bench: Bench, workload: PerfWorkload): Promise<Figure[]> {
  const { target, informer, count, bare } = bench;
  const { client, nodeNames } = target;
  await workload.prepare?.(client);
  const { initial } = workload;
  if (initial !== undefined) {
    const wanted = Math.ceil(initial.perNode * nodeNames.length);
    // The kubelets must not process these pods while other pods are measured.
    const placed = whenReached(informer, { bench: "initial", count: wanted, state: bare ? "bound" : "Running" });
    await makePods(client, { count: wanted, name: "initial", spec: initial.spec, labels: { bench: "initial" } });
    if (initial.stayPending === true) placed.stop();
    else await placed.done.finally(() => placed.stop());
  }
  const labels = { bench: "measured", ...colourLabels };
  const bound = whenReached(informer, { bench: "measured", count, state: "bound" });
  const churning = new AbortController();
  const others = { churn: keepChurning, preemptors: keepPreempting, none: () => Promise.resolve() };
  const churn = others[workload.meanwhile ?? "none"](client, churning.signal);
  let remove = async () => {};
  try {
    const before = await target.usage();
    const startedMs = performance.now();
    if (workload.start !== undefined) remove = await workload.start(client, labels);
    else await makePods(client, { count, name: "measured", spec: workload.measured, labels });
    const boundMs = (await bound.done) - startedMs;
    const after = await target.usage();
    const cpuMs = [...after].map(([id, { cpuSeconds }]) => {
      const ms = (cpuSeconds - (before.get(id)?.cpuSeconds ?? 0)) * 1000;
      return `${id} ${(ms / count).toFixed(2)}`;
    });
    return [
      {
        id: `schedule.${workload.name}.${nodeNames.length}${bare ? ".bare" : ""}`,
        what: `${workload.name}, ${nodeNames.length} ${bare ? "bare nodes" : "nodes"}, ${count} pods bound`,
        value: (count * 1000) / boundMs,
        unit: "/s",
        goal: workload.goals[nodeNames.length >= largeNodes ? 1 : 0],
        detail: `${(boundMs / 1000).toFixed(2)} s; processor ms of a pod: ${cpuMs.join(", ")}; load ${(loadavg()[0] ?? 0).toFixed(1)}`,
      },
    ];
  } finally {
    bound.stop();
    churning.abort();
    await churn;
    await remove();
    await removePods(client, informer);
  }
}

interface Made {
  count: number;
  name: string;
  spec: PerfWorkload["measured"];
  labels: Readonly<Record<string, string>>;
}

function makePods(client: Client, { count, name, spec, labels }: Made): Promise<void> {
  const names = Array.from({ length: count }, (_, i) => `${name}-${i}`);
  return eachOf(names, (each) =>
    client.create(pods, { metadata: { name: each, namespace: "default", labels: { ...labels } }, spec: podSpec(spec) }),
  );
}

interface Reached {
  bench: string;
  count: number;
  state: "bound" | "Running";
}

/** Resolves with the time at which the last of `count` pods was observed in the state. */
function whenReached(informer: Informer<Pod>, { bench, count, state }: Reached) {
  const reached = new Set<string>();
  let stop = () => {};
  const patienceMs = Math.max(patienceMinMs, (count / slowestPerSecond) * 1000);
  const done = new Promise<number>((resolve, reject) => {
    const because = () => `of ${count} ${bench} pods ${reached.size} were ${state} within ${patienceMs / 1000} s`;
    const timer = setTimeout(() => reject(new Error(because())), patienceMs);
    const unfollow = informer.onChange(({ type, object: { metadata, spec, status } }) => {
      if (type === "deleted" || metadata.labels?.["bench"] !== bench) return;
      if (state === "bound" ? spec?.nodeName === undefined : status?.phase !== "Running") return;
      reached.add(metadata.uid ?? "");
      if (reached.size === count) resolve(performance.now());
    });
    stop = () => {
      clearTimeout(timer);
      unfollow();
    };
  });
  // The promise is awaited after the writes. An error of a write must not leave it unhandled.
  done.catch(() => {});
  return { done, stop: () => stop() };
}

/** The pods of one workload must not use capacity or time of the next workload. */
async function removePods(client: Client, informer: Informer<Pod>): Promise<void> {
  const left = () => informer.list().filter(({ metadata }) => metadata.labels?.["bench"] !== undefined);
  await eachOf(left(), async ({ metadata }) => {
    const key = { namespace: "default", name: metadata.name ?? "" };
    try {
      await client.delete(pods, key, { gracePeriodSeconds: 0 });
    } catch (error) {
      // A DaemonSet's pods are removed with it, and a victim of preemption by its kubelet.
      if (!isApiError(error, "NotFound")) throw error;
    }
  });
  await eventually("the measured pods are gone", async () => left().length === 0, patienceMinMs * 2);
}

/** Creates pods that preempt other pods and remain. */
async function keepPreempting(client: Client, signal: AbortSignal): Promise<void> {
  for (let i = 0; !signal.aborted; i++) {
    const metadata = { name: `preemptor-${i}`, namespace: "default", labels: { bench: "preemptors" } };
    await client.create(pods, { metadata, spec: podSpec(preemptor) });
    await systemClock.sleep(preemptorEveryMs, signal).catch(() => {});
  }
}

/**
 * Each second an object and an unschedulable pod are created, and the objects of the previous
 * second are deleted.
 */
async function keepChurning(client: Client, signal: AbortSignal): Promise<void> {
  for (let i = 0; !signal.aborted; i++) {
    const metadata = { name: `churn-${i}`, namespace: "default" };
    await client.create(configMaps, { metadata, data: { turn: String(i) } });
    await client.create(pods, { metadata, spec: podSpec({ nodeSelector: { bench: "none" } }) });
    await systemClock.sleep(churnEveryMs, signal).catch(() => {});
    await client.delete(configMaps, metadata);
    await client.delete(pods, metadata, { gracePeriodSeconds: 0 });
  }
}
