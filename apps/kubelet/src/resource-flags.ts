import { flag, type FlagValues } from "@kintsugi/daemon";
import type { KubeletOptions } from "./kubelet-options.ts";
import { kubeletDefaults } from "./kubelet-options.ts";

/** The flags that say how the node's own resources are kept. */
export const resourceFlags = {
  "volume-stats-agg-period": flag.durationMs({
    help: "What volumes and logs take is measured at most this often.",
    fallback: kubeletDefaults.stats.volumeStatsAggPeriodMs,
  }),
};

export function resourceOptions(flags: FlagValues<typeof resourceFlags>): Pick<KubeletOptions, "stats"> {
  return { stats: { volumeStatsAggPeriodMs: flags["volume-stats-agg-period"] } };
}
