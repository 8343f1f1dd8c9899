import { nodeLeaseNamespace, nodes } from "@kintsugi/api";
import { busLateMaxMs } from "../../network/bus-links.ts";
import { readyOf } from "../observed/down-taints.ts";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { nameOf } from "../observed/known-objects.ts";
import { SentAfter } from "../observed/sent-after.ts";

const leasePrefix = `coordination.k8s.io/leases/${nodeLeaseNamespace}/`;

/**
 * A node is read, judged and written one after the other; a renewal in the meantime arrives too
 * late. The time that the write waits for the disk is added.
 */
const judgingMs = 2000;

/**
 * A node's status was its only sign of life before its first Lease, and is not tracked here, so the
 * node may have been silent forever.
 */
const beforeFirstMs = -Infinity;

/**
 * A grace period never contains more outages. Dropping old outages never causes a false violation.
 */
const outagesMax = 1000;

/**
 * The safety half of lost-nodes-become-unready: a node never counts as silent before the grace
 * period has passed.
 */
export function silenceLastsTheGracePeriod({ clock, clocks, timers }: InvariantContext): Invariant {
  const graceMs = timers.nodeMonitorGracePeriodMs;
  /**
   * A request that is in flight when the server stops may be answered when the server is back, so a
   * shorter outage may remain undetected.
   */
  const noticedMs = 3 * timers.nodeMonitorPeriodMs;
  /**
   * The times at which each node renewed its Lease: the last renewal before the time of a
   * judgement, and the renewals within it.
   */
  const renewalsOf = new Map<string, number[]>();
  /**
   * The times at which api-servers ended and at which the next one had opened the store. A missing
   * renewal in between is not silence.
   */
  let outages: { fromMs: number; untilMs: number }[] = [];
  const sentAfter = new SentAfter({ clock });

  return {
    name: "silence-lasts-the-grace-period",
    never:
      "a node that becomes Unknown before it was silent for the whole grace period, except for the time without an api-server, of which at most 3 s count",
    change({ entry, type }) {
      const nowMs = clock.monotonicMs();
      sentAfter.committed();
      if (!entry.key.startsWith(leasePrefix)) return;
      const name = entry.key.slice(leasePrefix.length);
      const renewedMs = [...(renewalsOf.get(name) ?? [beforeFirstMs]), nowMs];
      while ((renewedMs[1] ?? Infinity) < judgedSinceMs()) renewedMs.shift();
      if (type === "put") renewalsOf.set(name, renewedMs);
      else renewalsOf.delete(name);
    },
    observes: [
      onKind(nodes, ({ type, object, before }, check) => {
        const renewedMs = renewalsOf.get(object.metadata.name ?? "");
        if (type === "delete" || renewedMs === undefined) return;
        if (clocks.steadyForMs("controller-manager") < graceMs + judgingMs) return;
        if (readyOf(object) !== "Unknown" || readyOf(before) === "Unknown") return;
        const nowMs = clock.monotonicMs();
        const spells = renewedMs.map((atMs, index) => ({ atMs, untilMs: renewedMs[index + 1] ?? nowMs }));
        const silentMs = spells
          .filter(({ untilMs }) => untilMs >= judgedSinceMs())
          .map(({ atMs, untilMs }) => untilMs - atMs - outageMs(atMs, untilMs));
        const name = nameOf(object);
        check(
          Math.max(...silentMs) < graceMs
            ? `node ${name} became Unknown ${nowMs - (renewedMs.at(-1) ?? nowMs)} ms after its last renewal`
            : undefined,
        );
      }),
    ],
    left() {
      outages = [...outages.slice(-outagesMax), { fromMs: clock.monotonicMs(), untilMs: Infinity }];
    },
    opened() {
      const last = outages.at(-1);
      if (last) last.untilMs = Math.min(last.untilMs, clock.monotonicMs());
    },
  };

  /** The outage begins with the server's last message, which the bus may have delivered late. */
  function outageMs(sinceMs: number, untilMs: number): number {
    const noticed = outages.filter((each) => each.untilMs - each.fromMs >= noticedMs);
    const overlaps = noticed.map((each) => Math.min(each.untilMs, untilMs) - Math.max(each.fromMs, sinceMs));
    return overlaps.reduce((sum, overlapMs) => sum + Math.max(0, overlapMs - busLateMaxMs), 0);
  }

  /** The earliest time at which a node that is written now was judged. */
  function judgedSinceMs(): number {
    return sentAfter.ms - judgingMs;
  }
}
