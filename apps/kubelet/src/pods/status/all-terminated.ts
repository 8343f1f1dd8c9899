import type { ContainerStatus, PodStatus } from "@kintsugi/api";
import { containerLost } from "../plan/next-attempt.ts";
import { withEachContainerStatus } from "../../model/each-container-status.ts";

const message = "The container could not be located when the pod was terminated";

/**
 * An ended pod has no container that waits or runs. A container without a known state counts as
 * failed (TerminatePod).
 */
export function withAllTerminated(status: PodStatus): PodStatus {
  return withEachContainerStatus(status, terminated);
}

function terminated(status: ContainerStatus): ContainerStatus {
  if (status.state?.terminated)
    return { ...status, ready: status.ready && status.state.terminated.exitCode === 0, started: false };
  // A container that waits for its restart has already ended, and that end is retained.
  const last = status.state?.waiting ? status.lastState?.terminated : undefined;
  const end = last ?? { ...containerLost, message };
  return { ...status, state: { terminated: end }, ready: false, started: false };
}
