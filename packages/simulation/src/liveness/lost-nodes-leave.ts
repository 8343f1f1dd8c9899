import { type Node, noExecuteTaints, type Pod, type TimerProfile, tolerates } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Calm } from "../calm.ts";
import { downTaintOf, readyOf } from "../invariants/down-taints.ts";
import type { InvariantContext } from "../invariants/invariant-list.ts";
import type { Check, Invariant, Seen } from "../invariants/invariant.ts";
import { type Known, nameOf } from "../invariants/known.ts";

const second = 1000;
/** An election and a first list; until then nobody judges. */
const settleMs = 60 * second;
/** Until a pod whose time is over is deleted: the queue of evictions, the request, the disk. */
const evictMs = 15 * second;

/** The other half of L4: a node that stays away is called so. */
export class LostNodesAreCalledSo implements Invariant {
  readonly name = "L4";
  readonly never = "in calm, a lost node that is still Ready 60 s after its grace period";
  readonly #calm: Calm;
  readonly #known: Known;
  readonly #timers: TimerProfile;

  constructor({ calm, known, timers }: InvariantContext) {
    this.#calm = calm;
    this.#known = known;
    this.#timers = timers;
  }

  tick(check: Check): void {
    const { forMs, lostNodes } = this.#calm;
    if (forMs <= this.#timers.nodeMonitorGracePeriodMs + settleMs) return;
    for (const name of lostNodes) {
      const isReady = readyOf(this.#known.node(name)) === "True";
      check(isReady ? `node ${name} is lost and still Ready after ${forMs} ms` : undefined);
    }
  }
}

/** The other half of L5: the pods of a node that stays away leave it. */
export class LostNodesAreLeft implements Invariant {
  readonly name = "L5";
  readonly never = "in calm, a pod that is not deleted 15 s after its toleration of a lost node is over";
  readonly #calm: Calm;
  readonly #clock: Clock;
  readonly #known: Known;
  /** By node, since when it has the taint that makes pods leave. */
  readonly #taintedMs = new Map<string, number>();
  /** By UID, since when a pod is on a node: one that came to a node that was lost already, from a scheduler who had not heard, has its whole time. */
  readonly #boundMs = new Map<string, number>();

  constructor({ calm, clock, known }: InvariantContext) {
    this.#calm = calm;
    this.#clock = clock;
    this.#known = known;
  }

  node({ type, object }: Seen<Node>): void {
    const name = object.metadata.name ?? "";
    if (type === "delete" || !downTaintOf(object)) this.#taintedMs.delete(name);
    else if (!this.#taintedMs.has(name)) this.#taintedMs.set(name, this.#clock.monotonicMs());
  }

  pod({ type, object: { metadata, spec } }: Seen<Pod>): void {
    const uid = metadata.uid ?? "";
    if (type === "delete") this.#boundMs.delete(uid);
    else if ((spec?.nodeName ?? "") !== "" && !this.#boundMs.has(uid))
      this.#boundMs.set(uid, this.#clock.monotonicMs());
  }

  tick(check: Check): void {
    const { forMs, lostNodes } = this.#calm;
    if (forMs <= settleMs) return;
    for (const name of lostNodes) {
      const node = this.#known.node(name);
      const taint = downTaintOf(node);
      // Other taints have other times.
      if (!node || !taint || noExecuteTaints(node.spec?.taints).length > 1) continue;
      const taintedAtMs = this.#taintedMs.get(name) ?? Infinity;
      for (const pod of this.#known.pods.values()) {
        if (pod.spec?.nodeName !== name || pod.metadata.deletionTimestamp !== undefined) continue;
        const toleration = pod.spec.tolerations?.find((each) => tolerates(each, taint));
        const toleratedMs = toleration ? (toleration.tolerationSeconds ?? Infinity) * second : 0;
        const sinceMs = Math.max(taintedAtMs, this.#boundMs.get(pod.metadata.uid ?? "") ?? 0);
        const lateMs = Math.min(this.#clock.monotonicMs() - sinceMs - toleratedMs, forMs - settleMs);
        check(lateMs > evictMs ? `pod ${nameOf(pod)} is on ${name} ${lateMs} ms after its time was over` : undefined);
      }
    }
  }
}
