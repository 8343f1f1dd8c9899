import { flag, option } from "@kintsugi/daemon";

export const podGcOptions = {
  podGcQuarantineMs: option(
    "pod-gc-quarantine",
    flag.durationMs({
      help: "Time that a node is missing before its pods are deleted",
      byProfile: (timers) => timers.podGcQuarantineMs,
    }),
  ),
  podGcPeriodMs: option(
    "pod-gc-period",
    flag.durationMs({
      help: "Interval between two collections of orphaned and ended pods",
      byProfile: (timers) => timers.podGcPeriodMs,
    }),
  ),
  terminatedPodGcThreshold: option(
    "terminated-pod-gc-threshold",
    flag.count({ help: "Number of ended pods above which the oldest are deleted; 0 keeps all", fallback: 12_500 }),
  ),
};
