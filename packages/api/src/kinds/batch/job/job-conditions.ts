import { isConditionTrue } from "../../../meta/conditions.ts";
import type { Job } from "./job.ts";

export function isJobComplete({ status }: Job): boolean {
  return isConditionTrue(status?.conditions, "Complete");
}

export function isJobFailed({ status }: Job): boolean {
  return isConditionTrue(status?.conditions, "Failed");
}

/** A finished Job never changes again, except that it can be deleted. */
export function isJobFinished(job: Job): boolean {
  return isJobComplete(job) || isJobFailed(job);
}

export function isIndexedJob({ spec }: Job): boolean {
  return spec?.completionMode === "Indexed";
}
