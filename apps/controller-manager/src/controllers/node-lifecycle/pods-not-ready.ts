import {
  isPodReady,
  type Node,
  observedGeneration,
  parseKey,
  type Pod,
  pods,
  withCondition,
  findCondition,
} from "@kintsugi/api";
import { done, type Reconciler, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import type { NodeView } from "./node-view.ts";
import { readyStatus } from "./plan-conditions.ts";

/**
 * Returns the pod with Ready=False, if its node is down and the pod's status is still Ready. Its
 * other fields are unchanged.
 */
export function planPodNotReady(pod: Pod, nodeReady: string | undefined, nowMs: number): Pod | undefined {
  const nodeIsDown = nodeReady === "False" || nodeReady === "Unknown";
  const ready = findCondition(pod.status?.conditions, "Ready");
  if (!nodeIsDown || !ready || !isPodReady(pod)) return undefined;
  const { lastTransitionTime: _, ...rest } = ready;
  const conditions = withCondition(
    pod.status?.conditions,
    { ...rest, status: "False", ...observedGeneration(pod) },
    nowMs,
  );
  return { ...pod, status: { ...pod.status, conditions } };
}

export interface PodsNotReadyDeps {
  context: ControllerContext;
  view: NodeView;
}

/**
 * Sets a pod to not ready as soon as its node is down, long before its eviction: upstream's
 * MarkPodsNotReady. It does so only once for each time that the node goes down. A running kubelet,
 * on a node that is not ready because its runtime is down, reports the readiness of its pods
 * itself; otherwise the kubelet and this controller would overwrite each other's status forever.
 */
export class PodsNotReady implements Reconciler {
  readonly #deps: PodsNotReadyDeps;
  /**
   * The node's failure for which each pod was marked, by the pod's key; only pods of nodes that are
   * down. After a restart, pods are marked once more.
   */
  readonly #markedFor = new Map<string, string>();

  constructor(deps: PodsNotReadyDeps) {
    this.#deps = deps;
  }

  async reconcile(key: string): Promise<ReconcileResult> {
    const { context, view } = this.#deps;
    const pod = context.informers.of(pods).find(parseKey(key));
    const node = view.find(pod?.spec?.nodeName ?? "");
    if (!pod || !node || readyStatus(node) === "True") {
      this.#markedFor.delete(key);
      return done;
    }
    const next = planPodNotReady(pod, readyStatus(node), context.clock.nowMs());
    const occasion = occasionOf(pod, node);
    if (!next || this.#markedFor.get(key) === occasion) return done;
    await context.client.update(pods, next, { subresource: "status" });
    this.#markedFor.set(key, occasion);
    context.recordEvent({
      about: referenceTo(pods, pod),
      type: "Warning",
      reason: "NodeNotReady",
      message: "Node is not ready",
    });
    return done;
  }
}

/**
 * Identifies this pod and the time at which its node went down. A node whose Ready condition
 * changes from False to Unknown has gone down again.
 */
function occasionOf(pod: Pod, node: Node): string {
  return `${pod.metadata.uid}@${findCondition(node.status?.conditions, "Ready")?.lastTransitionTime}`;
}
