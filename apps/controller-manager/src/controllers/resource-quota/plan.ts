import {
  formatQuantity,
  type ResourceQuota,
  type ResourceQuotaSpec,
  type ResourceQuotaStatus,
  sameJson,
} from "@kintsugi/api";
import { type QuotaUsage, UsageTotal, withoutEnded } from "@kintsugi/rules";

export interface QuotaPlan {
  /** The status that has to be written; undefined if it is correct. */
  status: ResourceQuotaStatus | undefined;
  /** The time until a pod that is being deleted stops counting, without an event. */
  recountAfterMs: number | undefined;
}

/** The counted use; names of a kind that is not served are left out. */
export interface Counted {
  usages: Iterable<QuotaUsage>;
  names: readonly string[];
}

/** Sums up the use of one quota. */
export function planQuota(quota: ResourceQuota, { usages, names }: Counted, nowMs: number): QuotaPlan {
  const spec: ResourceQuotaSpec = quota.spec ?? {};
  const total = new UsageTotal(spec);
  let endsMs = Infinity;
  for (const usage of usages) {
    const now = withoutEnded(usage, nowMs);
    total.add(now);
    endsMs = Math.min(endsMs, now.countedUntilMs ?? Infinity);
  }
  const used = Object.fromEntries(
    [...total.used].filter(([name]) => names.includes(name)).map(([name, amount]) => [name, formatQuantity(amount)]),
  );
  const status = { hard: { ...spec.hard }, used };
  const { hard: knownHard = {}, used: knownUsed = {} } = quota.status ?? {};
  const isKnown = sameJson(status.hard, knownHard) && sameJson(used, knownUsed) && quota.status !== undefined;
  return {
    status: isKnown ? undefined : status,
    recountAfterMs: endsMs === Infinity ? undefined : endsMs - nowMs + 1,
  };
}
