import { flag, option } from "@kintsugi/daemon";

export const podGcOptions = {
  podGcQuarantineMs: option(
    "pod-gc-quarantine",
    flag.durationMs({
      help: "Time that a node is missing before its pods are collected",
      byProfile: (timers) => timers.podGcQuarantineMs,
    }),
  ),
  podGcPeriodMs: option(
    "pod-gc-period",
    flag.durationMs({ help: "Time between two collections of pods", byProfile: (timers) => timers.podGcPeriodMs }),
  ),
  terminatedPodGcThreshold: option(
    "terminated-pod-gc-threshold",
    flag.count({ help: "Ended pods beyond this number are deleted; 0 keeps all", fallback: 12_500 }),
  ),
};
