import { noExecuteTaints, type Node, parseTimestamp, type Pod, type Taint, tolerates } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { downTaintOf, isTaintEvicted } from "./down-taints.ts";
import { type Check, hearsayMs, type Invariant, type Seen } from "./invariant.ts";
import type { InvariantContext } from "./invariant-list.ts";
import type { SteadyClocks } from "./steady-clocks.ts";
import { type Known, nameOf } from "./known.ts";

/** A time in which a node had a taint that makes pods leave because it is down. */
interface Spell {
  taint: Taint;
  readonly fromMs: number;
  /** How long it had been there when it went; absent while it is there. */
  lastedMs?: number;
}

/** L5, its safe half: a pod stays on a node that is down for as long as it tolerates that. */
export class EvictionsWait implements Invariant {
  readonly name = "L5";
  readonly never = "a pod that is evicted before its toleration is over";
  readonly #clock: Clock;
  readonly #clocks: SteadyClocks;
  readonly #known: Known;
  /** By node, the last there was. */
  readonly #spells = new Map<string, Spell>();
  /** By node, when another taint that makes pods leave was last seen, on the clock of `Known.awakeMs`. */
  readonly #otherMs = new Map<string, number>();

  constructor({ clock, clocks, known }: InvariantContext) {
    this.#clock = clock;
    this.#clocks = clocks;
    this.#known = known;
  }

  node({ type, object }: Seen<Node>): void {
    const name = object.metadata.name ?? "";
    const taint = downTaintOf(object);
    const spell = this.#spells.get(name);
    const others = noExecuteTaints(object.spec?.taints).length - (taint ? 1 : 0);
    if (others > 0) this.#otherMs.set(name, this.#known.awakeMs);
    if (type === "delete") this.#spells.delete(name);
    else if (!taint && spell) spell.lastedMs ??= this.#exposedForMs(spell);
    else if (taint && spell && spell.lastedMs === undefined) spell.taint = taint;
    else if (taint) this.#spells.set(name, { taint, fromMs: this.#clock.monotonicMs() });
  }

  pod({ type, object, before }: Seen<Pod>, check: Check): void {
    if (type === "delete" || before === undefined || !isTaintEvicted(object) || isTaintEvicted(before)) return;
    const name = object.spec?.nodeName ?? "";
    const spell = this.#spells.get(name);
    // Other taints have other times.
    if (!spell || this.#known.awakeMs - (this.#otherMs.get(name) ?? -Infinity) <= hearsayMs) return;
    const sinceMs = this.#clock.monotonicMs() - spell.fromMs;
    if (this.#clocks.steadyForMs("controller-manager") <= Math.max(sinceMs, this.#exposedForMs(spell))) return;
    const wantedMs = toleratedMs(object, spell.taint);
    // Whoever evicts has just read the node from the server: one that is back had been down for long enough.
    const forMs = spell.lastedMs ?? this.#exposedForMs(spell);
    check(
      forMs < wantedMs
        ? `pod ${nameOf(object)} tolerates ${spell.taint.key} for ${wantedMs} ms and was evicted after ${forMs} ms`
        : undefined,
    );
  }

  /** By when the taint was committed or by what it says of itself, which can be earlier by the time its writing took. */
  #exposedForMs({ taint: { timeAdded }, fromMs }: Spell): number {
    const seenMs = this.#clock.monotonicMs() - fromMs;
    return timeAdded === undefined ? seenMs : Math.max(seenMs, this.#clock.nowMs() - parseTimestamp(timeAdded));
  }
}

function toleratedMs({ spec }: Pod, taint: Taint): number {
  const toleration = spec?.tolerations?.find((each) => tolerates(each, taint));
  if (!toleration) return 0;
  return toleration.tolerationSeconds === undefined ? Infinity : toleration.tolerationSeconds * 1000;
}
