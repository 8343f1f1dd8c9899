import { formatKey, isPodReady, parseKey, type Pod, pods, withCondition, findCondition } from "@kintsugi/api";
import { done, type Reconciler, type ReconcileResult } from "@kintsugi/controller";
import type { ControllerContext } from "../context.ts";
import { type RecordEvent, referenceTo } from "../events.ts";
import type { NodeView } from "./node-view.ts";
import { readyStatus } from "./plan-conditions.ts";

/** The pod with Ready=False, if its node is down and it says otherwise. Nothing else about it is touched. */
export function planPodNotReady(pod: Pod, nodeReady: string | undefined, nowMs: number): Pod | undefined {
  const nodeIsDown = nodeReady === "False" || nodeReady === "Unknown";
  const ready = findCondition(pod.status?.conditions, "Ready");
  if (!nodeIsDown || !ready || !isPodReady(pod)) return undefined;
  const { lastTransitionTime: _, ...rest } = ready;
  const conditions = withCondition(pod.status?.conditions, { ...rest, status: "False" }, nowMs);
  return { ...pod, status: { ...pod.status, conditions } };
}

export interface PodsNotReadyDeps {
  context: ControllerContext;
  recordEvent: RecordEvent;
  view: NodeView;
}

/** Takes a pod out of service as soon as its node is down, long before it is evicted: upstream's MarkPodsNotReady. */
export class PodsNotReady implements Reconciler {
  readonly #deps: PodsNotReadyDeps;

  constructor(deps: PodsNotReadyDeps) {
    this.#deps = deps;
  }

  async reconcile(key: string): Promise<ReconcileResult> {
    const { context, view, recordEvent } = this.#deps;
    const pod = context.informers.pods.find(parseKey(key));
    const node = view.find(pod?.spec?.nodeName ?? "");
    if (!pod || !node) return done;
    const next = planPodNotReady(pod, readyStatus(node), context.clock.nowMs());
    if (!next) return done;
    await context.client.update(pods, next, { subresource: "status" });
    recordEvent({
      about: referenceTo(pods, pod),
      type: "Warning",
      reason: "NodeNotReady",
      message: "Node is not ready",
    });
    return done;
  }
}

/** As in a work queue. */
export function podKey(pod: Pod): string {
  return formatKey({ namespace: pod.metadata.namespace ?? "", name: pod.metadata.name ?? "" });
}
