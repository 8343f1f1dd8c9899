import {
  findCondition,
  formatTimestamp,
  isApiError,
  type Logger,
  observedGeneration,
  type Pod,
  pods,
} from "@kintsugi/api";
import type { ObjectWriter } from "@kintsugi/client";

/** The reason why a pod has no node: no node fits the pod, or the attempt itself failed. */
type PodScheduledReason = "Unschedulable" | "SchedulerError";

export interface PodConditionWriterDeps {
  client: Pick<ObjectWriter, "patch">;
  log: Logger;
  nowMs: () => number;
}

/** Time limit of a write, after which the next attempt writes the condition again. */
export const statusWriteTimeoutMs = 10_000;

interface WhyPending {
  reason: PodScheduledReason;
  message: string;
  /**
   * The node on which preemption frees resources for the pod, "" for none; undefined leaves the
   * status unchanged.
   */
  nominatedNode?: string | undefined;
}

/**
 * The outcome of the write: "gone" means that the pod was removed or replaced by another pod of its
 * name.
 */
type Said = "said" | "gone" | "failed";

/**
 * Writes into the pod's status why it has no node, and on which node preemption frees resources,
 * unless the status already contains both.
 */
export async function writePodCondition(deps: PodConditionWriterDeps, pod: Pod, why: WhyPending): Promise<Said> {
  const present = findCondition(pod.status?.conditions, "PodScheduled");
  const { reason, message, nominatedNode } = why;
  const generation = observedGeneration(pod);
  const isSaid =
    present?.status === "False" &&
    present.reason === reason &&
    present.message === message &&
    present.observedGeneration === generation.observedGeneration;
  const isNominated = nominatedNode === undefined || nominatedNode === (pod.status?.nominatedNodeName ?? "");
  if (isSaid && isNominated) return "said";
  const { namespace = "", name = "", uid } = pod.metadata;
  const lastTransitionTime = present?.status === "False" ? present.lastTransitionTime : formatTimestamp(deps.nowMs());
  const body = {
    metadata: { uid },
    status: {
      conditions: [
        {
          type: "PodScheduled",
          status: "False",
          reason,
          message,
          ...generation,
          lastProbeTime: null,
          lastTransitionTime,
        },
      ],
      ...(isNominated ? {} : { nominatedNodeName: nominatedNode || null }),
    },
  };
  try {
    await deps.client.patch(
      pods,
      { namespace, name },
      { type: "strategic", body },
      { subresource: "status", timeoutMs: statusWriteTimeoutMs },
    );
    return "said";
  } catch (error) {
    // A pod that was removed, or replaced by another pod of its name, needs no condition. For other
    // pods the next attempt writes the condition again.
    if (isApiError(error, "NotFound", "Conflict")) return "gone";
    deps.log.warn("cannot write the reason that a pod has no node", { pod: `${namespace}/${name}`, error });
    return "failed";
  }
}

/** Text limit of events and conditions (upstream's truncateMessage). */
const messageLengthMax = 1024;

export function truncated(message: string): string {
  const suffix = " ...";
  return message.length <= messageLengthMax ? message : message.slice(0, messageLengthMax - suffix.length) + suffix;
}
