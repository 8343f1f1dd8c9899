import { ConnectionError } from "@kintsugi/client";
import { controllerOf, isApiError, isPodTerminal, nodes, type Pod, pods } from "@kintsugi/api";
import type { DrainTurn, RehearsalQuestion } from "@kintsugi/rehearsal";
import type { Asked } from "./asked.ts";
import type { RehearsedCluster } from "../cluster/rehearsed-cluster.ts";

/** Delay after which kubectl retries a refused eviction. */
const retryMs = 5_000;
/** Time without progress after which an operator gives up a drain. */
const stuckAfterMs = 10 * 60_000;
/** The lines of a report about one node. */
const heldByMax = 3;

/**
 * Drains node after node as `kubectl drain` does, and stops at the first node that does not become
 * empty.
 */
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
    const turn = await drainRehearsedNode(cluster, name, { beganMs });
    drains.push(turn);
    if (!turn.isDone) return;
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

/**
 * Cordons one node and evicts its pods, until it is empty, no longer makes progress, or the signal
 * aborts.
 */
export async function drainRehearsedNode(
  cluster: RehearsedCluster,
  name: string,
  { beganMs, signal }: { beganMs: number; signal?: AbortSignal },
): Promise<DrainTurn> {
  const { clock } = cluster;
  const fromMs = clock.monotonicMs();
  await setUnschedulable(cluster, name, true);
  const heldBy = new Map<string, HeldPod>();
  const isDone = await drain(cluster, name, { heldBy, signal });
  return {
    node: name,
    fromMs: fromMs - beganMs,
    tookMs: clock.monotonicMs() - fromMs,
    isDone,
    heldBy: [...heldBy.values()].toSorted((a, b) => b.forMs - a.forMs).slice(0, heldByMax),
  };
}

type HeldPod = DrainTurn["heldBy"][number];

/** Returns whether the node is empty; pods of DaemonSets remain. */
async function drain(
  cluster: RehearsedCluster,
  name: string,
  { heldBy, signal }: { heldBy: Map<string, HeldPod>; signal: AbortSignal | undefined },
): Promise<boolean> {
  const { clock } = cluster;
  let movedMs = clock.monotonicMs();
  let left = Infinity;
  for (;;) {
    const onNode = cluster.pods.on(name).filter(hasToGo);
    if (onNode.length === 0) return true;
    if (onNode.length < left) movedMs = clock.monotonicMs();
    left = onNode.length;
    if (signal?.aborted === true || clock.monotonicMs() - movedMs > stuckAfterMs) return false;
    for (const pod of onNode) {
      if (pod.metadata.deletionTimestamp !== undefined) continue;
      const refusal = await evict(cluster, pod);
      if (refusal === undefined) continue;
      const key = `${pod.metadata.namespace}/${pod.metadata.name}`;
      const held = heldBy.get(key) ?? { budget: refusal, pod: key, forMs: 0 };
      heldBy.set(key, { ...held, forMs: held.forMs + retryMs });
    }
    await clock.sleep(retryMs);
  }
}

function hasToGo(pod: Pod): boolean {
  const owner = controllerOf(pod)?.kind;
  return owner !== "DaemonSet" && owner !== "Node" && !isPodTerminal(pod);
}

/** Returns the reason why the pod cannot be evicted now. */
async function evict({ client }: RehearsedCluster, { metadata }: Pod): Promise<string | undefined> {
  const { namespace = "", name = "" } = metadata;
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { namespace, name } };
  try {
    await client.create(pods, eviction as Pod, { subresource: "eviction", namespace, name });
    return undefined;
  } catch (error) {
    if (isApiError(error, "NotFound")) return undefined;
    if (error instanceof ConnectionError) return "the API server does not respond";
    if (!isApiError(error)) throw error;
    // The causes contain "The disruption budget web needs 2 healthy pods and has 2 currently".
    const causes = (error.details?.causes ?? []).map(({ message = "" }) => message).filter((each) => each !== "");
    return [error.message, ...causes].join(" ");
  }
}

/** Retries while the API server is unreachable. */
export async function setUnschedulable(
  { client, clock }: RehearsedCluster,
  name: string,
  unschedulable: boolean,
): Promise<void> {
  for (;;) {
    try {
      const body = { spec: { unschedulable: unschedulable ? true : null } };
      await client.patch(nodes, { namespace: "", name }, { type: "merge", body });
      return;
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      await clock.sleep(retryMs);
    }
  }
}
