import { flag, option } from "@kintsugi/daemon";

export const resourceQuotaOptions = {
  concurrentResourceQuotaSyncs: option(
    "concurrent-resource-quota-syncs",
    flag.count({ min: 1, help: "Quotas that are counted at the same time", fallback: 5 }),
  ),
  resourceQuotaSyncPeriodMs: option(
    "resource-quota-sync-period",
    flag.durationMs({ help: "Interval between two counts of a quota without a change", fallback: 300_000 }),
  ),
};
