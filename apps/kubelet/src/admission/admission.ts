import { findUntoleratedTaint, type Node } from "@kintsugi/api";
import type { PodEvents } from "../events/pod-events.ts";
import { type BoundPod, isTerminalPhase } from "../pods/bound-pod.ts";
import type { ObservedPod } from "../runtime/observed-pod.ts";
import { matchesNodeAffinity } from "./node-affinity.ts";
import { missingResource } from "./node-resources.ts";

export interface AdmissionDeps {
  events: PodEvents;
  /** The node as the API has it; undefined until it has been read. */
  node(): Node | undefined;
}

export interface Rejection {
  reason: string;
  message: string;
}

/**
 * Whether this node can run a pod at all, decided once, when it is met first (lifecycle/predicate.go). A pod that already
 * has containers was admitted before a restart of the kubelet, and stays so.
 */
export class Admission {
  readonly #deps: AdmissionDeps;
  readonly #admitted = new Map<string, BoundPod>();

  constructor(deps: AdmissionDeps) {
    this.#deps = deps;
  }

  /** Resolves with why the pod is turned away. */
  judge(pod: BoundPod, observed: ObservedPod): Rejection | undefined {
    const { uid } = pod.metadata;
    if (this.#admitted.has(uid)) {
      this.#admitted.set(uid, pod);
      return undefined;
    }
    if (isTerminalPhase(pod.status?.phase)) return undefined;
    const wasRunning = observed.sandboxes.length > 0 || observed.containers.length > 0;
    const rejection = wasRunning ? undefined : this.#rejection(pod);
    if (!rejection) {
      this.#admitted.set(uid, pod);
      return undefined;
    }
    this.#deps.events.warning(pod, rejection.reason, rejection.message);
    return { reason: rejection.reason, message: `Pod was rejected: ${rejection.message}` };
  }

  /** The pod has ended: what it asked for is free. */
  release(uid: string): void {
    this.#admitted.delete(uid);
  }

  #rejection(pod: BoundPod): Rejection | undefined {
    const node = this.#deps.node();
    if (!node) return undefined;
    const missing = missingResource(pod, [...this.#admitted.values()], node);
    if (missing) {
      const { resource, requested, used, capacity } = missing;
      const message = `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`;
      return { reason: `OutOf${resource}`, message };
    }
    if (!matchesNodeAffinity(pod, node)) {
      const message = "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector";
      return { reason: "NodeAffinity", message };
    }
    const taints = (node.spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
    if (findUntoleratedTaint(taints, pod.spec.tolerations ?? [])) {
      const message = "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate";
      return { reason: "TaintToleration", message };
    }
    return undefined;
  }
}
