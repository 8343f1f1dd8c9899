import {
  type CronJob,
  cronJobs,
  cronJobTimeAnnotation,
  controllerReference,
  findTimeZone,
  formatTimestamp,
  type Job,
  utc,
} from "@kintsugi/api";
import { jobNameOf } from "@kintsugi/rules";

const minuteMs = 60_000;

/** Makes the Job of a CronJob for one time of its schedule. */
export function newJob(cronJob: CronJob, startMs: number): Job {
  const { metadata: template, spec } = structuredClone(cronJob.spec.jobTemplate);
  const { namespace } = cronJob.metadata;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: jobNameOf(cronJob, startMs),
      ...(namespace === undefined ? {} : { namespace }),
      ...(template?.labels === undefined ? {} : { labels: template?.labels }),
      annotations: {
        ...template?.annotations,
        [cronJobTimeAnnotation]: formatInZone(startMs, cronJob.spec.timeZone),
      },
      ownerReferences: [controllerReference(cronJob, cronJobs)],
    },
    ...(spec === undefined ? {} : { spec }),
  };
}

/** RFC 3339 in the local time of the zone: `2026-03-10T03:00:00-04:00`. */
function formatInZone(instantMs: number, name: string | undefined): string {
  const zone = (name === undefined ? undefined : findTimeZone(name)) ?? utc;
  const offsetMs = zone.offsetMs(instantMs);
  const wall = formatTimestamp(instantMs + offsetMs);
  if (offsetMs === 0) return wall;
  const minutes = Math.floor(Math.abs(offsetMs) / minuteMs);
  const digits = (value: number) => String(value).padStart(2, "0");
  const offset = `${offsetMs < 0 ? "-" : "+"}${digits(Math.floor(minutes / 60))}:${digits(minutes % 60)}`;
  return wall.replace("Z", offset);
}
