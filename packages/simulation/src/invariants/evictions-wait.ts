import { noExecuteTaints, type Node, parseTimestamp, type Pod, type Taint, tolerates } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { downTaintOf, isTaintEvicted } from "./down-taints.ts";
import type { Check, Invariant, Seen } from "./invariant.ts";
import type { InvariantContext } from "./invariant-list.ts";
import type { SteadyClocks } from "./steady-clocks.ts";
import { type Known, nameOf } from "./known.ts";

/** L5, its safe half: a pod stays on a node that is down for as long as it tolerates that. */
export class EvictionsWait implements Invariant {
  readonly name = "L5";
  readonly never = "a pod that is evicted before its toleration is over";
  readonly #clock: Clock;
  readonly #clocks: SteadyClocks;
  readonly #known: Known;
  /** By node, since when it has a taint that makes pods leave because it is down. */
  readonly #downMs = new Map<string, number>();

  constructor({ clock, clocks, known }: InvariantContext) {
    this.#clock = clock;
    this.#clocks = clocks;
    this.#known = known;
  }

  node({ type, object }: Seen<Node>): void {
    const name = object.metadata.name ?? "";
    if (type === "delete" || !downTaintOf(object)) this.#downMs.delete(name);
    else if (!this.#downMs.has(name)) this.#downMs.set(name, this.#clock.monotonicMs());
  }

  pod({ type, object, before }: Seen<Pod>, check: Check): void {
    if (type === "delete" || before === undefined || !isTaintEvicted(object) || isTaintEvicted(before)) return;
    const node = this.#known.node(object.spec?.nodeName ?? "");
    const taint = downTaintOf(node);
    // Other taints have other times; and one that has gone since was there when it was looked at.
    if (node === undefined || taint === undefined || noExecuteTaints(node.spec?.taints).length > 1) return;
    if (this.#clocks.steadyForMs("controller-manager") <= this.#exposedForMs(node, taint)) return;
    const wantedMs = toleratedMs(object, taint);
    const forMs = this.#exposedForMs(node, taint);
    check(
      forMs < wantedMs
        ? `pod ${nameOf(object)} tolerates ${taint.key} for ${wantedMs} ms and was evicted after ${forMs} ms`
        : undefined,
    );
  }

  /** By when the taint was committed or by what it says of itself, which can be earlier by the time its writing took. */
  #exposedForMs({ metadata }: Node, { timeAdded }: Taint): number {
    const committedMs = this.#downMs.get(metadata.name ?? "") ?? this.#clock.monotonicMs();
    const seenMs = this.#clock.monotonicMs() - committedMs;
    return timeAdded === undefined ? seenMs : Math.max(seenMs, this.#clock.nowMs() - parseTimestamp(timeAdded));
  }
}

function toleratedMs({ spec }: Pod, taint: Taint): number {
  const toleration = spec?.tolerations?.find((each) => tolerates(each, taint));
  if (!toleration) return 0;
  return toleration.tolerationSeconds === undefined ? Infinity : toleration.tolerationSeconds * 1000;
}
