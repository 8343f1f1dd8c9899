import { findCondition, formatTimestamp, isApiError, type Logger, type Pod, pods } from "@kintsugi/api";
import type { ObjectWriter } from "@kintsugi/client";

/** Why a pod has no node: nothing fits it, or the attempt itself failed. */
export type PodScheduledReason = "Unschedulable" | "SchedulerError";

export interface PodConditionWriterDeps {
  client: Pick<ObjectWriter, "patch">;
  log: Logger;
  nowMs: () => number;
}

/** It is said again at the next attempt. */
const writeTimeoutMs = 10_000;

/** Says in the pod's status why it has no node, if that is not what it says already. */
export async function writePodCondition(
  deps: PodConditionWriterDeps,
  pod: Pod,
  condition: { reason: PodScheduledReason; message: string },
): Promise<void> {
  const present = findCondition(pod.status?.conditions, "PodScheduled");
  const { reason, message } = condition;
  if (present?.status === "False" && present.reason === reason && present.message === message) return;
  const { namespace = "", name = "", uid } = pod.metadata;
  const lastTransitionTime = present?.status === "False" ? present.lastTransitionTime : formatTimestamp(deps.nowMs());
  const body = {
    metadata: { uid },
    status: {
      conditions: [{ type: "PodScheduled", status: "False", reason, message, lastProbeTime: null, lastTransitionTime }],
    },
  };
  try {
    await deps.client.patch(
      pods,
      { namespace, name },
      { type: "strategic", body },
      {
        subresource: "status",
        timeoutMs: writeTimeoutMs,
      },
    );
  } catch (error) {
    // A pod that is gone, or another one of its name, needs no condition; anything else is said again at the next attempt.
    if (isApiError(error, "NotFound", "Conflict")) return;
    deps.log.warn("cannot write why a pod has no node", { pod: `${namespace}/${name}`, error });
  }
}

/** Events and conditions take so much text (upstream's truncateMessage). */
const messageLengthMax = 1024;

export function truncated(message: string): string {
  const suffix = " ...";
  return message.length <= messageLengthMax ? message : message.slice(0, messageLengthMax - suffix.length) + suffix;
}
