import type { Node } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { CommittedChange } from "@kintsugi/store";
import { busLateMaxMs } from "../network/bus-links.ts";
import { readyOf } from "./down-taints.ts";
import type { Check, Invariant, Seen } from "./invariant.ts";
import type { InvariantContext } from "./invariant-list.ts";
import type { SteadyClocks } from "./steady-clocks.ts";
import { nameOf } from "./known.ts";

const leasePrefix = "coordination.k8s.io/leases/kube-node-lease/";

/**
 * A node is read, judged and written one after the other; what it renews meanwhile comes too late. That is besides what the
 * write waits for the disk: it was sent after the commit before the last, or it would have come with the last.
 */
const judgingMs = 2000;

/** Before its first Lease a node's status was its only sign of life, which is not followed here: it may have been silent for ever. */
const beforeFirstMs = -Infinity;

/** No grace period is long enough for more of them; of those that are forgotten nobody is accused. */
const outagesMax = 1000;

/** L4, its safe half: nobody is called silent before the grace period is over. */
export class SilenceLasts implements Invariant {
  readonly name = "L4";
  readonly never =
    "a node that becomes Unknown before it was silent for the whole grace period, not counting the time without an api-server, all but 3 s of it";
  readonly #clock: Clock;
  readonly #clocks: SteadyClocks;
  readonly #graceMs: number;
  /** A question that is under way when the server goes may be answered when it is back: a shorter outage need not be noticed. */
  readonly #noticedMs: number;
  /** By node, when it renewed its Lease: the last before the time of a judgement, and those within it. */
  readonly #renewedMs = new Map<string, number[]>();
  /** When api-servers ended and when the next one had opened the store: what nobody could renew in the meantime is no silence. */
  #outages: { fromMs: number; untilMs: number }[] = [];
  /** When the last three batches were committed, the newest last. */
  #commitsMs = [0, 0, 0];

  constructor({ clock, clocks, timers }: InvariantContext) {
    this.#clock = clock;
    this.#clocks = clocks;
    this.#graceMs = timers.nodeMonitorGracePeriodMs;
    this.#noticedMs = 3 * timers.nodeMonitorPeriodMs;
  }

  change({ entry, type }: CommittedChange): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs !== this.#commitsMs[2]) this.#commitsMs = [...this.#commitsMs.slice(1), nowMs];
    if (!entry.key.startsWith(leasePrefix)) return;
    const name = entry.key.slice(leasePrefix.length);
    const renewedMs = [...(this.#renewedMs.get(name) ?? [beforeFirstMs]), nowMs];
    while ((renewedMs[1] ?? Infinity) < this.#judgedSinceMs()) renewedMs.shift();
    if (type === "put") this.#renewedMs.set(name, renewedMs);
    else this.#renewedMs.delete(name);
  }

  node({ type, object, before }: Seen<Node>, check: Check): void {
    const renewedMs = this.#renewedMs.get(object.metadata.name ?? "");
    if (type === "delete" || renewedMs === undefined) return;
    if (this.#clocks.steadyForMs("controller-manager") < this.#graceMs + judgingMs) return;
    if (readyOf(object) !== "Unknown" || readyOf(before) === "Unknown") return;
    const nowMs = this.#clock.monotonicMs();
    const spells = renewedMs.map((atMs, index) => ({ atMs, untilMs: renewedMs[index + 1] ?? nowMs }));
    const silentMs = spells
      .filter(({ untilMs }) => untilMs >= this.#judgedSinceMs())
      .map(({ atMs, untilMs }) => untilMs - atMs - this.#outageMs(atMs, untilMs));
    const name = nameOf(object);
    check(
      Math.max(...silentMs) < this.#graceMs
        ? `node ${name} became Unknown ${nowMs - (renewedMs.at(-1) ?? nowMs)} ms after its last renewal`
        : undefined,
    );
  }

  left(): void {
    this.#outages = [...this.#outages.slice(-outagesMax), { fromMs: this.#clock.monotonicMs(), untilMs: Infinity }];
  }

  opened(): void {
    const last = this.#outages.at(-1);
    if (last) last.untilMs = Math.min(last.untilMs, this.#clock.monotonicMs());
  }

  /** When a server went is dated by what was heard of it last, and the bus may have taken its time over that. */
  #outageMs(sinceMs: number, untilMs: number): number {
    const noticed = this.#outages.filter((each) => each.untilMs - each.fromMs >= this.#noticedMs);
    const overlaps = noticed.map((each) => Math.min(each.untilMs, untilMs) - Math.max(each.fromMs, sinceMs));
    return overlaps.reduce((sum, overlapMs) => sum + Math.max(0, overlapMs - busLateMaxMs), 0);
  }

  /** Who is written now was judged after this. */
  #judgedSinceMs(): number {
    return (this.#commitsMs[0] ?? 0) - judgingMs;
  }
}
