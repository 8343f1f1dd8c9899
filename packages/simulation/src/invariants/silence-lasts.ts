import type { Node, TimerProfile } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { CommittedChange } from "@kintsugi/store";
import { readyOf } from "./down-taints.ts";
import type { Check, Invariant, Seen } from "./invariant.ts";
import { nameOf } from "./known.ts";

const leasePrefix = "coordination.k8s.io/leases/kube-node-lease/";

/** L4, its safe half: nobody is called silent before the grace period is over. */
export class SilenceLasts implements Invariant {
  readonly name = "L4";
  readonly never = "a node that becomes Unknown before it was silent for the whole grace period";
  readonly #clock: Clock;
  readonly #graceMs: number;
  readonly #renewedMs = new Map<string, number>();

  constructor({ clock, timers }: { clock: Clock; timers: TimerProfile }) {
    this.#clock = clock;
    this.#graceMs = timers.nodeMonitorGracePeriodMs;
  }

  change({ entry, type }: CommittedChange): void {
    if (!entry.key.startsWith(leasePrefix)) return;
    const name = entry.key.slice(leasePrefix.length);
    if (type === "put") this.#renewedMs.set(name, this.#clock.monotonicMs());
    else this.#renewedMs.delete(name);
  }

  node({ type, object, before }: Seen<Node>, check: Check): void {
    const renewedMs = this.#renewedMs.get(object.metadata.name ?? "");
    if (type === "delete" || renewedMs === undefined) return;
    if (readyOf(object) !== "Unknown" || readyOf(before) === "Unknown") return;
    const silentMs = this.#clock.monotonicMs() - renewedMs;
    check(
      silentMs < this.#graceMs
        ? `node ${nameOf(object)} became Unknown ${silentMs} ms after its last renewal`
        : undefined,
    );
  }
}
