import { findUntoleratedTaint } from "@kintsugi/api";
import { Listeners } from "../../base/listeners.ts";
import type { BoundPod } from "../../model/bound-pod.ts";
import { podQos } from "../../model/pod-qos.ts";
import type { Rejection } from "../../pods/admission/admission.ts";
import { isCritical } from "./rank-pods.ts";
import type { PressureCondition } from "./signals.ts";

/**
 * The node's current pressure. Eviction, which acts on running pods, sets it. The node's status and
 * the admission of new pods, which is made before eviction, read it.
 */
export class NodePressure {
  readonly #changed = new Listeners();
  #conditions: readonly PressureCondition[] = [];

  get conditions(): readonly PressureCondition[] {
    return this.#conditions;
  }

  set(conditions: readonly PressureCondition[]): void {
    const changed = conditions.join() !== this.#conditions.join();
    this.#conditions = conditions;
    if (changed) this.#changed.emit();
  }

  /**
   * Calls `handler` when the conditions have changed, because the node's status has to be updated.
   */
  onChanged(handler: () => void): void {
    this.#changed.add(handler);
  }

  /** Returns the reason why a new pod must not start while the node is under pressure. */
  refuse(pod: BoundPod): Rejection | undefined {
    if (this.#conditions.length === 0 || isCritical(pod)) return undefined;
    if (this.#conditions.every((condition) => condition === "MemoryPressure")) {
      if (podQos(pod) !== "BestEffort") return undefined;
      const taint = { key: "node.kubernetes.io/memory-pressure", effect: "NoSchedule" as const };
      if (!findUntoleratedTaint([taint], pod.spec.tolerations ?? [])) return undefined;
    }
    return { reason: "Evicted", message: `The node had condition: [${this.#conditions.join(" ")}]. ` };
  }
}
