import { isJobFinished, isTimestamp, type Job, parseTimestamp } from "@kintsugi/api";

/** Returns the time at which the Job has to be deleted; undefined if it is retained. */
export function expiresAtMs(job: Job): number | undefined {
  const { ttlSecondsAfterFinished: seconds } = job.spec ?? {};
  if (seconds === undefined || job.metadata.deletionTimestamp !== undefined || !isJobFinished(job)) return undefined;
  const finishedMs = finishedAtMs(job);
  return finishedMs === undefined ? undefined : finishedMs + seconds * 1000;
}

function finishedAtMs({ status }: Job): number | undefined {
  const end = status?.conditions?.find(
    (condition) => (condition.type === "Complete" || condition.type === "Failed") && condition.status === "True",
  );
  const { lastTransitionTime: time = "" } = end ?? {};
  return isTimestamp(time) ? parseTimestamp(time) : undefined;
}
