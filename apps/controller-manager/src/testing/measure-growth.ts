import type { Deployment, HorizontalPodAutoscaler, Node, Service } from "@kintsugi/api";
import { countSteps, type StepCounts } from "./count-steps.ts";
import { GrownCluster } from "./grown-cluster.ts";
import { aNode } from "./test-cluster.ts";

const changes: Readonly<Record<string, (grown: GrownCluster) => void>> = {
  "a Lease is renewed": (grown) => grown.renewLease("n-1"),
  "a node reports its status": ({ cluster }) => {
    const node = cluster.node("n-1");
    cluster.put("nodes", { ...node, status: { ...node.status, images: [] } } as Node);
  },
  "a node is not ready": ({ cluster }) => {
    const { status } = aNode("n-1", { ready: "False", nowMs: cluster.clock.nowMs() });
    cluster.put("nodes", { ...cluster.node("n-1"), status } as Node);
  },
  "a node is ready again": ({ cluster }) => {
    const { status } = aNode("n-1", { nowMs: cluster.clock.nowMs() });
    cluster.put("nodes", { ...cluster.node("n-1"), status } as Node);
  },
  "a node joins": ({ cluster }) => cluster.put("nodes", aNode("new", { nowMs: cluster.clock.nowMs() })),
  "a node leaves": ({ cluster }) => cluster.remove("nodes", cluster.node("new")),
  "a DaemonSet's pod is not ready": (grown) => grown.runPod(grown.agentOn("n-5"), "False"),
  "a DaemonSet's pod is ready again": (grown) => grown.runPod(grown.agentOn("n-5")),
  "a DaemonSet's pod is gone": (grown) => grown.cluster.remove("pods", grown.agentOn("n-6")),
  "a node has other labels": ({ cluster }) => {
    const node = cluster.node("n-7");
    cluster.put("nodes", { ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, disk: "ssd" } } });
  },
  "a pod is not ready": (grown) => grown.runPod(grown.podOf("w-2"), "False"),
  "a pod is ready again": (grown) => grown.runPod(grown.podOf("w-2")),
  "a pod is gone": (grown) => grown.cluster.remove("pods", grown.podOf("w-3")),
  "a Deployment is scaled": ({ cluster }) => {
    const deployment = cluster.find<Deployment>("deployments", "w-4", "ns-0");
    const metadata = { ...deployment?.metadata, generation: 2 };
    cluster.put("deployments", { ...deployment, metadata, spec: { ...deployment?.spec, replicas: 2 } } as Deployment);
  },
  "an autoscaler changes": ({ cluster }) => {
    const autoscaler = cluster.find<HorizontalPodAutoscaler>("horizontalpodautoscalers", "w-4", "ns-0");
    const spec = { ...autoscaler?.spec, maxReplicas: 3 };
    cluster.put("horizontalpodautoscalers", { ...autoscaler, spec } as HorizontalPodAutoscaler);
  },
  "a Service changes": ({ cluster }) => {
    const service = cluster.find<Service>("services", "w-4", "ns-0");
    const ports = [{ port: 81, protocol: "TCP" }];
    cluster.put("services", { ...service, spec: { ...service?.spec, ports } } as Service);
  },
};

/** Steps in the controllers, their informers and queues, without code that only tests use. */
function isCounted(file: string): boolean {
  const ours = /\/(apps\/controller-manager|packages\/(client|controller|rules))\/src\//;
  return ours.test(file) && !file.includes("/testing/") && !file.endsWith(".test.ts");
}

/**
 * Waits until the controllers are idle, because work that is late on a busy machine would count as
 * work for the next change.
 */
async function untilQuiet(grown: GrownCluster): Promise<void> {
  for (let round = 0; round < 20; round++) if ((await countSteps(isCounted, () => grown.rest())).size === 0) return;
}

const isReconcile = (place: string) => /: #?reconcile$/.test(place);

/** The directory of the controller to which a file belongs; empty for shared code. */
const controllerOf = (place: string) => /^controllers\/[^/]+\//.exec(place)?.[0] ?? "";

/** Counts the calls of reconcilers by controller; the empty name has the total. */
function countReconciles(steps: StepCounts): ReadonlyMap<string, number> {
  const counts = new Map([["", 0]]);
  for (const [place, { calls }] of steps) {
    if (!isReconcile(place)) continue;
    for (const key of new Set(["", controllerOf(place)])) counts.set(key, (counts.get(key) ?? 0) + calls);
  }
  return counts;
}

/**
 * Finds the places where a change costs more in the large cluster: more calls of a reconciler, or
 * more steps per call. A set that is reconciled more often, as on a busy machine, takes
 * proportionally more steps.
 */
function findGrowth(before: StepCounts, after: StepCounts, moreNodes: number): string[] {
  const grew: string[] = [];
  const [reconcilesBefore, reconcilesAfter] = [countReconciles(before), countReconciles(after)];
  for (const [place, { calls, steps }] of after) {
    const known = before.get(place) ?? { calls: 0, steps: 0 };
    const controller = controllerOf(place);
    const again = Math.max(1, (reconcilesAfter.get(controller) ?? 0) / (reconcilesBefore.get(controller) || 1));
    // A difference of a hundred is random, because batches are split differently. A walk over
    // nodes, pods or workloads has at least one step for each of them.
    const most = moreNodes * 0.9;
    if (isReconcile(place) && calls - known.calls > most) grew.push(`${place} ${known.calls} → ${calls} calls`);
    else if (steps - known.steps * again > most) grew.push(`${place} ${known.steps} → ${steps} steps`);
  }
  return grew;
}

export interface Growth {
  /** Places with their counts, each with the name of its change. */
  grew: readonly string[];
  /** The changes that did not make any controller react. */
  silent: readonly string[];
}

/**
 * Compares the cost of each change in a cluster of `few` nodes and in a cluster of `many` nodes.
 */
export async function measureGrowth(few: number, many: number): Promise<Growth> {
  const [small, large] = [new GrownCluster(few), new GrownCluster(many)];
  for (const grown of [small, large]) {
    await grown.start();
    await untilQuiet(grown);
  }
  const grew: string[] = [];
  const silent: string[] = [];
  for (const [name, change] of Object.entries(changes)) {
    const stepsOf = (grown: GrownCluster) =>
      countSteps(isCounted, async () => {
        change(grown);
        await grown.rest();
      });
    const [before, after] = [await stepsOf(small), await stepsOf(large)];
    await untilQuiet(large);
    if (before.size === 0) silent.push(name);
    grew.push(...findGrowth(before, after, many - few).map((place) => `${name}: ${place}`));
  }
  await small.cluster.stop();
  await large.cluster.stop();
  return { grew, silent };
}
