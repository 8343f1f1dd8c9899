import { findCondition, formatTimestamp, type JobCondition, type JobStatus } from "@kintsugi/api";

export type JobConditionType = "Complete" | "Failed" | "Suspended" | "FailureTarget" | "SuccessCriteriaMet";

/** The reason and the message of a condition. */
export interface Cause {
  reason: string;
  message: string;
}

export function newCondition(
  type: JobConditionType,
  { reason, message }: Cause,
  { status = "True", nowMs }: { status?: "True" | "False"; nowMs: number },
): JobCondition {
  const time = formatTimestamp(nowMs);
  return { type, status, lastProbeTime: time, lastTransitionTime: time, reason, message };
}

/** Sets a condition; a missing condition is not added with status False. */
export function withJobCondition(
  conditions: JobStatus["conditions"],
  next: JobCondition,
): { conditions: JobCondition[]; changed: boolean } {
  const list = conditions ?? [];
  const present = findCondition(list, next.type);
  if (present === undefined) {
    return next.status === "False"
      ? { conditions: list, changed: false }
      : { conditions: [...list, next], changed: true };
  }
  const same = (["status", "reason", "message"] as const).every((field) => present[field] === next[field]);
  return same
    ? { conditions: list, changed: false }
    : { conditions: list.map((each) => (each === present ? next : each)), changed: true };
}
