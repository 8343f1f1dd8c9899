import type { ContainerStatus } from "@kintsugi/api";
import type { ObservedContainer } from "../../model/observed-pod.ts";

/** The status of a container that was running and can no longer be found. */
export const containerLost = {
  reason: "ContainerStatusUnknown",
  exitCode: 137,
} as const;

/**
 * Returns the restart count of the next instance: one more than the newest instance in the runtime
 * or, when the runtime has lost all instances, than the API's last record, so that the count never
 * falls.
 */
export function nextAttempt(newest: ObservedContainer | undefined, recorded: ContainerStatus | undefined): number {
  return Math.max(newest ? newest.metadata.attempt + 1 : 0, afterRecorded(recorded));
}

function afterRecorded(recorded: ContainerStatus | undefined): number {
  if (!recorded) return 0;
  const { state, lastState, restartCount } = recorded;
  if (state?.running || state?.terminated) return restartCount + 1;
  const last = lastState?.terminated;
  if (!last) return restartCount;
  // A lost container was counted when its loss was detected.
  return last.reason === containerLost.reason ? restartCount : restartCount + 1;
}
