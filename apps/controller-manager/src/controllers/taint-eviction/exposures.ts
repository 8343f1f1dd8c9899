import { noExecuteTaints, type Node, type Pod, type Taint } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { exposedForMs, type ExposedSince, troubleOf } from "@kintsugi/rules";
import { TroubleStarts } from "../../shared/trouble-starts.ts";

/** Keeps the time at which each pod was first exposed to each taint of its node. */
export class Exposures {
  readonly #clock: Clock;
  readonly #starts = new TroubleStarts();

  constructor(deps: { clock: Clock }) {
    this.#clock = deps.clock;
  }

  /**
   * Records the taints that the pod does not tolerate, and returns the start of each taint. A Node
   * that was created again is a different node, even with the same name: the taints of its
   * predecessor have ended.
   */
  observe(pod: Pod, node: Node): ExposedSince {
    const keyOf = (taint: Taint) => `${node.metadata.uid ?? ""} ${troubleOf(taint)}`;
    const troubles = new Map<string, () => number>();
    for (const taint of noExecuteTaints(node.spec?.taints)) {
      // The first taint with the same key counts.
      if (!troubles.has(keyOf(taint))) troubles.set(keyOf(taint), () => this.#firstSeen(pod, taint));
    }
    const starts = this.#starts.observe(pod.metadata.uid ?? "", troubles);
    return (taint) => starts.get(keyOf(taint)) ?? this.#clock.monotonicMs();
  }

  forget(pod: Pod): void {
    this.#starts.forget(pod.metadata.uid ?? "");
  }

  #firstSeen(pod: Pod, taint: Taint): number {
    return this.#clock.monotonicMs() - exposedForMs(pod, taint, this.#clock.nowMs());
  }
}
