import { noExecuteTaints, type Node, type Pod, type Taint } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { exposedForMs, type ExposedSince, troubleOf } from "@kintsugi/rules";

/** The troubles that a pod has to bear on its node, each with its start on the monotonic clock. */
interface Exposure {
  readonly nodeUid: string;
  readonly troubles: ReadonlyMap<string, number>;
}

/**
 * Keeps the time since which pods have been exposed to taints. The API's wall time is read once,
 * when an exposure is first seen, so that a restart loses nothing; from then on the time is
 * measured on the monotonic clock, so that a jump of wall time evicts no pod.
 */
export class Exposures {
  readonly #clock: Clock;
  /** The exposures by pod UID; only pods on nodes with NoExecute taints have an entry. */
  readonly #since = new Map<string, Exposure>();

  constructor(deps: { clock: Clock }) {
    this.#clock = deps.clock;
  }

  /**
   * Records the pod's troubles, forgets those that are over, and returns the start of each of the
   * rest. A Node that was made anew is another node, even with the same name: its predecessor's
   * troubles are over.
   */
  observe(pod: Pod, node: Node): ExposedSince {
    const uid = pod.metadata.uid ?? "";
    const nodeUid = node.metadata.uid ?? "";
    const known = this.#since.get(uid);
    const before = known?.nodeUid === nodeUid ? known.troubles : undefined;
    const now = new Map<string, number>();
    for (const taint of noExecuteTaints(node.spec?.taints)) {
      const trouble = troubleOf(taint);
      now.set(trouble, before?.get(trouble) ?? now.get(trouble) ?? this.#firstSeen(pod, taint));
    }
    if (now.size === 0) this.#since.delete(uid);
    else this.#since.set(uid, { nodeUid, troubles: now });
    return (taint) => now.get(troubleOf(taint)) ?? this.#clock.monotonicMs();
  }

  forget(pod: Pod): void {
    this.#since.delete(pod.metadata.uid ?? "");
  }

  #firstSeen(pod: Pod, taint: Taint): number {
    return this.#clock.monotonicMs() - exposedForMs(pod, taint, this.#clock.nowMs());
  }
}
