import type { ContainerStatus, PodStatus } from "@kintsugi/api";
import { containerLost } from "../plan/next-attempt.ts";
import { withEachContainerStatus } from "../../model/each-container-status.ts";

const message = "The container could not be located when the pod was terminated";

/**
 * A pod that is over has no container left that waits or runs; a container without a trace counts
 * as failed (TerminatePod).
 */
export function withAllTerminated(status: PodStatus): PodStatus {
  return withEachContainerStatus(status, terminated);
}

function terminated(status: ContainerStatus): ContainerStatus {
  if (status.state?.terminated)
    return { ...status, ready: status.ready && status.state.terminated.exitCode === 0, started: false };
  // A container that waits for its restart has ended before: that end stays.
  const last = status.state?.waiting ? status.lastState?.terminated : undefined;
  const end = last ?? { ...containerLost, message };
  return { ...status, state: { terminated: end }, ready: false, started: false };
}
