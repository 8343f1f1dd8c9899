import { flag, option } from "@kintsugi/daemon";

export const horizontalPodAutoscalerOptions = {
  hpaSyncPeriodMs: option(
    "horizontal-pod-autoscaler-sync-period",
    flag.durationMs({
      help: "Interval between two decisions about one HorizontalPodAutoscaler",
      byProfile: (timers) => timers.hpaSyncPeriodMs,
    }),
  ),
  hpaDownscaleStabilizationMs: option(
    "horizontal-pod-autoscaler-downscale-stabilization",
    flag.durationMs({
      help: "Time for which a higher recommendation keeps an autoscaler from scaling down",
      byProfile: (timers) => timers.hpaDownscaleStabilizationMs,
    }),
  ),
  hpaCpuInitializationPeriodMs: option(
    "horizontal-pod-autoscaler-cpu-initialization-period",
    flag.durationMs({
      help: "Time after a pod's start in which its processor time counts only while it is ready",
      byProfile: (timers) => timers.hpaCpuInitializationPeriodMs,
    }),
  ),
  hpaInitialReadinessDelayMs: option(
    "horizontal-pod-autoscaler-initial-readiness-delay",
    flag.durationMs({
      help: "Time after a pod's start in which changes of readiness count as its initial readiness",
      byProfile: (timers) => timers.hpaInitialReadinessDelayMs,
    }),
  ),
  hpaTolerance: option(
    "horizontal-pod-autoscaler-tolerance",
    flag.number({
      help: "Least deviation of a metric's ratio from 1 that changes the number of pods",
      fallback: 0.1,
    }),
  ),
  hpaSyncs: option(
    "concurrent-horizontal-pod-autoscaler-syncs",
    flag.count({ min: 1, help: "HorizontalPodAutoscalers that are reconciled at the same time", fallback: 5 }),
  ),
};
