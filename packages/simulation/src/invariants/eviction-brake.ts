import type { Node, TimerProfile } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { CommittedChange } from "@kintsugi/store";
import { downTaintOf, readyOf, zoneOf } from "./down-taints.ts";
import { type Check, hearsayMs, type Invariant, type Seen } from "./invariant.ts";
import type { InvariantContext } from "./invariant-list.ts";
import type { SteadyClocks } from "./steady-clocks.ts";
import { type Known, nameOf } from "./known.ts";

/** Whoever holds this Lease grants; each holder begins with an unused bucket, and a grace period in which it judges nobody. */
const leaseKey = "coordination.k8s.io/leases/kube-system/kube-controller-manager";
/** A taint may be granted this much before it is committed. */
const slackMs = 1000;

/** S25: the pods of few nodes begin to leave at once, and none while no node is up. */
export class EvictionBrake implements Invariant {
  readonly name = "S25";
  readonly never =
    "evictions from more nodes of a zone than its rate allows, while all have been down for 15 s, or in a controller's first grace period";
  readonly #clock: Clock;
  readonly #clocks: SteadyClocks;
  readonly #known: Known;
  readonly #timers: TimerProfile;
  /** By zone, when its nodes got their taints. */
  readonly #grantedMs = new Map<string, number[]>();
  /** When each holder of the Lease began. */
  readonly #termsMs: number[] = [];
  #holder = "";
  /** Since when no node is Ready. */
  #allDownMs = Infinity;

  constructor({ clock, clocks, known, timers }: InvariantContext) {
    this.#clock = clock;
    this.#clocks = clocks;
    this.#known = known;
    this.#timers = timers;
  }

  change({ entry }: CommittedChange): void {
    if (entry.key !== leaseKey) return;
    const holder = /"holderIdentity":"([^"]*)"/.exec(Buffer.from(entry.value).toString())?.[1] ?? "";
    if (holder !== "" && holder !== this.#holder) this.#termsMs.push(this.#clock.monotonicMs());
    this.#holder = holder;
  }

  node({ type, object, before }: Seen<Node>, check: Check): void {
    if (type === "put" && before !== undefined && downTaintOf(object) && !downTaintOf(before)) {
      check(this.#tooMany(object));
      check(this.#withoutAnyUp(object));
      check(this.#tooSoon(object));
    }
    const anyIsUp = [...this.#known.nodes.values()].some((node) => readyOf(node) === "True");
    if (anyIsUp) this.#allDownMs = Infinity;
    else this.#allDownMs = Math.min(this.#allDownMs, this.#known.awakeMs);
  }

  /** A bucket that holds one: after the first, one each time that the rate has earned one. */
  #tooMany(node: Node): string | undefined {
    const nowMs = this.#clock.monotonicMs();
    const zone = zoneOf(node);
    const granted = this.#grantedMs.get(zone) ?? [];
    this.#grantedMs.set(zone, [...granted.slice(-100), nowMs]);
    for (const [index, fromMs] of granted.entries()) {
      if (this.#clocks.steadyForMs("controller-manager") <= nowMs - fromMs) continue;
      const count = granted.length - index + 1;
      const buckets = 1 + this.#termsMs.filter((termMs) => termMs >= fromMs).length;
      const earned = (this.#timers.nodeEvictionRate * (nowMs - fromMs + slackMs)) / 1000;
      if (count > buckets + earned)
        return `${count} nodes of zone ${zone} began to be evicted within ${nowMs - fromMs} ms, the last ${nameOf(node)}`;
    }
    return undefined;
  }

  #withoutAnyUp(node: Node): string | undefined {
    if (this.#known.awakeMs - this.#allDownMs <= hearsayMs) return undefined;
    return `${nameOf(node)} began to be evicted while no node is Ready`;
  }

  #tooSoon(node: Node): string | undefined {
    const termMs = this.#clock.monotonicMs() - (this.#termsMs.at(-1) ?? -Infinity);
    if (this.#clocks.steadyForMs("controller-manager") <= termMs) return undefined;
    if (termMs >= this.#timers.nodeMonitorGracePeriodMs) return undefined;
    return `${nameOf(node)} began to be evicted ${termMs} ms after the controller had begun`;
  }
}
