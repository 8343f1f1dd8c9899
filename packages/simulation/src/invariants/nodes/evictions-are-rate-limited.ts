import { type Node, nodes } from "@kintsugi/api";
import { downTaintOf, readyOf, zoneKeyOf } from "../observed/down-taints.ts";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { staleViewMs } from "../observed/stale-view.ts";
import { nameOf } from "../observed/known-objects.ts";
import { SentAfter } from "../observed/sent-after.ts";

/**
 * The holder of this Lease decides evictions; each holder begins with a full bucket, and a grace
 * period in which it does not mark nodes.
 */
const leaseKey = "coordination.k8s.io/leases/kube-system/kube-controller-manager";
/** Maximum time between the decision to set a taint and its request. */
const slackMs = 1000;

/** The start of a node's eviction. */
interface Granted {
  /** The earliest time at which the taint was sent. */
  sentAfterMs: number;
  /** The time of its commit. */
  atMs: number;
}

/**
 * The evictions of few nodes begin at the same time, and evictions do not begin while all nodes are
 * down.
 */
export function evictionsAreRateLimited({ clock, clocks, known, timers }: InvariantContext): Invariant {
  const grantedOf = new Map<string, Granted[]>();
  const sentAfter = new SentAfter({ clock });
  /** The start times of each holder of the Lease. */
  const termsMs: number[] = [];
  let lastHolder = "";
  /** The time at which the last Ready node became not Ready. */
  let allDownMs = Infinity;

  return {
    name: "evictions-are-rate-limited",
    never:
      "evictions from more nodes of a zone than its rate allows, while all have been down for 15 s, or in a controller's first grace period",
    change({ entry }) {
      sentAfter.committed();
      if (entry.key !== leaseKey) return;
      const holder = /"holderIdentity":"([^"]*)"/.exec(Buffer.from(entry.value).toString())?.[1] ?? "";
      if (holder !== "" && holder !== lastHolder) termsMs.push(clock.monotonicMs());
      lastHolder = holder;
    },
    observes: [
      onKind(nodes, ({ type, object, before }, check) => {
        if (type === "put" && before !== undefined && downTaintOf(object) && !downTaintOf(before)) {
          check(tooMany(object));
          check(withoutAnyUp(object));
          check(tooSoon(object));
        }
        const anyIsUp = [...known.of(nodes).values()].some((node) => readyOf(node) === "True");
        if (anyIsUp) allDownMs = Infinity;
        else allDownMs = Math.min(allDownMs, known.activeMs);
      }),
    ],
  };

  /**
   * Simulates a bucket with one token. After the first eviction, each eviction needs a token that
   * the rate has earned.
   */
  function tooMany(node: Node): string | undefined {
    const nowMs = clock.monotonicMs();
    const zone = zoneKeyOf(node);
    const granted = grantedOf.get(zone) ?? [];
    grantedOf.set(zone, [...granted.slice(-100), { sentAfterMs: sentAfter.ms, atMs: nowMs }]);
    for (const [index, { sentAfterMs, atMs }] of granted.entries()) {
      if (clocks.steadyForMs("controller-manager") <= nowMs - sentAfterMs) continue;
      const count = granted.length - index + 1;
      const buckets = 1 + termsMs.filter((termMs) => termMs >= sentAfterMs).length;
      const earned = (timers.nodeEvictionRate * (nowMs - sentAfterMs + slackMs)) / 1000;
      if (count > buckets + earned)
        return `${count} nodes of zone ${zone} began to be evicted within ${nowMs - atMs} ms, the last ${nameOf(node)}`;
    }
    return undefined;
  }

  function withoutAnyUp(node: Node): string | undefined {
    if (known.activeMs - allDownMs <= staleViewMs) return undefined;
    return `${nameOf(node)} began to be evicted while no node is Ready`;
  }

  function tooSoon(node: Node): string | undefined {
    const termMs = clock.monotonicMs() - (termsMs.at(-1) ?? -Infinity);
    if (clocks.steadyForMs("controller-manager") <= termMs) return undefined;
    if (termMs >= timers.nodeMonitorGracePeriodMs) return undefined;
    return `${nameOf(node)} began to be evicted ${termMs} ms after the controller had begun`;
  }
}
