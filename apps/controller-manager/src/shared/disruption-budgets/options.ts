import { flag, option } from "@kintsugi/daemon";

/** The option of every controller that evicts pods. */
export const evictionBudgetOptions = {
  evictionPdbPolicy: option(
    "eviction-pdb-policy",
    flag.choice(["ignore", "respect"], {
      help: "Treatment of PodDisruptionBudgets by controllers that evict pods",
      byProfile: (timers) => timers.evictionPdbPolicy,
    }),
  ),
};
