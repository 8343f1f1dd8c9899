import { loadavg } from "node:os";
import { nodes, type Pod } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import { eventually } from "../../support/run-program.ts";
import { type BenchCluster, bringUp, openBenchCluster } from "../bench-cluster.ts";
import type { Figure } from "../figure.ts";
import { controlPlaneTimes } from "../kubelet/processor-time.ts";
import { followPods } from "../seen-by-client.ts";
import { addHollowNodes, podsPerNode } from "./hollow-nodes.ts";
import { type Workload, workloadsOf } from "./workloads.ts";

// Scales workloads up on nodes without kubelets: measures the control plane from the write that
// requests the pods until a watch has observed the last of them bound.

/** scheduler_perf's small cluster has half as many nodes for 1,000 pods; room is never scarce. */
const nodesMin = 50;
/** The status writes and events of the previous workload must not be in the next figure. */
const calmMs = 3_000;
/** A run below this rate is aborted, because Kubernetes with its defaults is twice as fast. */
const slowestPerSecond = 10;
const patienceMinMs = 60_000;
const processes = ["api-server", "scheduler", "controller-manager", "nats"] as const;

interface ScaleUp {
  /** The time from the write until a watch observed the last pod created, and bound. */
  readonly createdMs: number;
  readonly boundMs: number;
  /** The processor time of each process of the control plane in the meantime. */
  readonly processorMs: ReadonlyMap<string, number>;
  /** The processor time of this process, which watches on the same machine. */
  readonly ownMs: number;
  readonly load: number;
}

export async function measureScaleUp(count: number): Promise<Figure[]> {
  const name = `bench-scale-${process.pid}`;
  await bringUp(name, ["--nodes", "1", "--profile", "default"]);
  await using cluster = await openBenchCluster(name);
  const { client } = cluster;
  // The real node would start its pods on the processors that are measured.
  for (const { name: node } of cluster.known.spec.nodes)
    await client.patch(
      nodes,
      { namespace: "", name: node },
      { type: "merge", body: { spec: { unschedulable: true } } },
    );
  const hollow = await addHollowNodes(client, Math.max(nodesMin, Math.ceil((2 * count) / podsPerNode)));
  const following = new AbortController();
  try {
    const pods = await followPods(client, following.signal);
    const figures: Figure[] = [];
    for (const workload of workloadsOf(count))
      figures.push(...describe(workload, count, await scaleOnce({ cluster, pods, count }, workload)));
    return figures;
  } finally {
    following.abort();
    await hollow.stop();
  }
}

interface Bench {
  cluster: BenchCluster;
  pods: Informer<Pod>;
  count: number;
}

async function scaleOnce({ cluster, pods, count }: Bench, workload: Workload): Promise<ScaleUp> {
  const { client } = cluster;
  await workload.create(client);
  await new Promise((resolve) => setTimeout(resolve, calmMs));
  const progress = watchProgress(pods, count, workload.name);
  try {
    const [before, own] = [await controlPlaneTimes(cluster), process.cpuUsage()];
    const startedMs = performance.now();
    await workload.scaleUp(client);
    const { createdAtMs, boundAtMs } = await progress.done;
    const used = process.cpuUsage(own);
    const after = await controlPlaneTimes(cluster);
    return {
      createdMs: createdAtMs - startedMs,
      boundMs: boundAtMs - startedMs,
      processorMs: new Map([...after].map(([id, ms]) => [id, ms - (before.get(id) ?? 0)])),
      ownMs: (used.user + used.system) / 1000,
      load: loadavg()[0] ?? Number.NaN,
    };
  } finally {
    progress.stop();
    await workload.remove(client);
    await eventually(
      `the pods of ${workload.title} are gone`,
      async () => pods.list().every(({ metadata }) => metadata.labels?.["app"] !== workload.name),
      patienceOf(count),
    );
  }
}

function patienceOf(count: number): number {
  return Math.max(patienceMinMs, (count / slowestPerSecond) * 1000);
}

/** Counts the pods of an app as observed by a watch, until as many are bound as are wanted. */
function watchProgress(pods: Informer<Pod>, count: number, app: string) {
  const created = new Set<string>();
  const bound = new Set<string>();
  let stop = () => {};
  const done = new Promise<{ createdAtMs: number; boundAtMs: number }>((resolve, reject) => {
    let createdAtMs = Number.NaN;
    const timer = setTimeout(
      () =>
        reject(
          new Error(
            `${app}: of ${count} pods ${created.size} were created and ${bound.size} bound ` +
              `within ${patienceOf(count) / 1000} s`,
          ),
        ),
      patienceOf(count),
    );
    const unfollow = pods.onChange(({ type, object: { metadata, spec } }) => {
      if (type === "deleted" || metadata.labels?.["app"] !== app) return;
      created.add(metadata.name ?? "");
      if (created.size === count && Number.isNaN(createdAtMs)) createdAtMs = performance.now();
      if (spec?.nodeName !== undefined) bound.add(metadata.name ?? "");
      if (bound.size === count) resolve({ createdAtMs, boundAtMs: performance.now() });
    });
    stop = () => {
      clearTimeout(timer);
      unfollow();
    };
  });
  // The promise is awaited after the write. An error of the write must not leave it unhandled.
  done.catch(() => {});
  return { done, stop: () => stop() };
}

function describe({ name, title, goal }: Workload, count: number, run: ScaleUp): Figure[] {
  const { createdMs, boundMs, processorMs, ownMs, load } = run;
  const seconds = (ms: number) => (ms / 1000).toFixed(2);
  const total = [...processorMs.values()].reduce((sum, ms) => sum + ms, 0);
  return [
    {
      id: `scale-up.${name}.rate`,
      what: `${title} from 0 to ${count} pods, all bound`,
      value: (count * 1000) / boundMs,
      unit: "/s",
      ...(goal === undefined ? {} : { goal }),
      detail: `created after ${seconds(createdMs)} s, bound after ${seconds(boundMs)} s; load ${load.toFixed(1)}; this client took ${seconds(ownMs)} s of a processor`,
    },
    ...processes.map((id): Figure => {
      const usedMs = processorMs.get(id) ?? Number.NaN;
      return {
        id: `scale-up.${name}.${id}`,
        what: `processor time of a pod of ${title}: ${id}`,
        value: usedMs / count,
        unit: "ms",
        detail: `${Math.round((100 * usedMs) / total)} % of the control plane's; a processor of its own bounds it at ${Math.round((count * 1000) / usedMs)}/s`,
      };
    }),
  ];
}
