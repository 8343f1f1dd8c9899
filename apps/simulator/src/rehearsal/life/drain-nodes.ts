import { controllerOf, isApiError, isPodTerminal, nodes, type Pod, pods } from "@kintsugi/api";
import type { DrainTurn, RehearsalQuestion } from "@kintsugi/rehearsal";
import type { Asked } from "./asked.ts";
import type { RehearsedCluster } from "./rehearsed-cluster.ts";

/** kubectl tries a refused eviction again after this long. */
const retryMs = 5_000;
/** An operator gives a drain up that has not moved for so long. */
const stuckAfterMs = 10 * 60_000;
/** The lines of a report about one node. */
const heldByMax = 3;

/** Drains node after node as `kubectl drain` does, and stops at the first that does not empty. */
export function drainNodes(
  question: Extract<RehearsalQuestion, { kind: "drains" }>,
  cluster: RehearsedCluster,
  noteNodes: () => void,
): Asked {
  const drains: DrainTurn[] = [];
  return { done: drainAll(question, cluster, { drains, noteNodes }), drains };
}

async function drainAll(
  { nodes: names, rebootMs }: Extract<RehearsalQuestion, { kind: "drains" }>,
  cluster: RehearsedCluster,
  { drains, noteNodes }: { drains: DrainTurn[]; noteNodes: () => void },
): Promise<void> {
  const { clock } = cluster;
  const beganMs = clock.monotonicMs();
  for (const name of names) {
    const fromMs = clock.monotonicMs();
    await setUnschedulable(cluster, name, true);
    const heldBy = new Map<string, { budget: string; pod: string; forMs: number }>();
    const isDone = await drain(cluster, name, heldBy);
    const turn = {
      node: name,
      fromMs: fromMs - beganMs,
      tookMs: clock.monotonicMs() - fromMs,
      isDone,
      heldBy: [...heldBy.values()].toSorted((a, b) => b.forMs - a.forMs).slice(0, heldByMax),
    };
    drains.push(turn);
    if (!isDone) return;
    if (rebootMs !== undefined) {
      cluster.node(name).kill();
      noteNodes();
      await clock.sleep(rebootMs);
      cluster.node(name).return();
      noteNodes();
      await clock.sleep(retryMs);
    }
    await setUnschedulable(cluster, name, false);
  }
}

/** Answers whether the node is empty; pods of DaemonSets stay. */
async function drain(
  cluster: RehearsedCluster,
  name: string,
  heldBy: Map<string, { budget: string; pod: string; forMs: number }>,
): Promise<boolean> {
  const { clock } = cluster;
  let movedMs = clock.monotonicMs();
  let left = Infinity;
  for (;;) {
    const onNode = cluster.pods.on(name).filter(hasToGo);
    if (onNode.length === 0) return true;
    if (onNode.length < left) movedMs = clock.monotonicMs();
    left = onNode.length;
    if (clock.monotonicMs() - movedMs > stuckAfterMs) return false;
    for (const pod of onNode) {
      if (pod.metadata.deletionTimestamp !== undefined) continue;
      const refusal = await evict(cluster, pod);
      if (refusal === undefined) continue;
      const key = `${pod.metadata.namespace}/${pod.metadata.name}`;
      const held = heldBy.get(key) ?? { budget: refusal, pod: key, forMs: 0 };
      held.forMs += retryMs;
      heldBy.set(key, held);
    }
    await clock.sleep(retryMs);
  }
}

function hasToGo(pod: Pod): boolean {
  const owner = controllerOf(pod)?.kind;
  return owner !== "DaemonSet" && owner !== "Node" && !isPodTerminal(pod);
}

/** Returns the reason why the pod may not go now. */
async function evict({ client }: RehearsedCluster, { metadata }: Pod): Promise<string | undefined> {
  const { namespace = "", name = "" } = metadata;
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { namespace, name } };
  try {
    await client.create(pods, eviction as Pod, { subresource: "eviction", namespace, name });
    return undefined;
  } catch (error) {
    if (isApiError(error, "NotFound")) return undefined;
    if (!isApiError(error)) throw error;
    return error.message;
  }
}

async function setUnschedulable({ client }: RehearsedCluster, name: string, unschedulable: boolean): Promise<void> {
  await client.patch(
    nodes,
    { namespace: "", name },
    { type: "merge", body: { spec: { unschedulable: unschedulable ? true : null } } },
  );
}
