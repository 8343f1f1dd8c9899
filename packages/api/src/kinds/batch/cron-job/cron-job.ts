import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, int32, int64, oneOf, text, time } from "../../../schema/types.ts";
import { ObjectReference } from "../../core/references.ts";
import { JobTemplateSpec } from "../job/job.ts";

export const concurrencyPolicies = ["Allow", "Forbid", "Replace"] as const;

export const CronJobSpec = object(
  "io.k8s.api.batch.v1.CronJobSpec",
  "Schedule of a CronJob and the template of its Jobs.",
  () => ({
    schedule: required(1, text, "Schedule in cron format, such as 30 4 * * 1-5 or @hourly."),
    startingDeadlineSeconds: field(
      2,
      int64,
      "Deadline for starting a Job after its scheduled time, in seconds. A Job that misses the deadline is skipped. If unset, there is no deadline.",
    ),
    concurrencyPolicy: field(
      3,
      oneOf(...concurrencyPolicies),
      "Handling of a Job that is due while an earlier Job is still running: Allow runs both Jobs, Forbid skips the new Job, Replace deletes the earlier Job. Defaults to Allow.",
    ),
    suspend: field(
      4,
      bool,
      "Stops the CronJob from starting Jobs if true. Jobs that are already running continue. Defaults to false.",
    ),
    jobTemplate: required(5, JobTemplateSpec, "Template of the Jobs."),
    successfulJobsHistoryLimit: field(6, int32, "Number of completed Jobs that are kept. Defaults to 3."),
    failedJobsHistoryLimit: field(7, int32, "Number of failed Jobs that are kept. Defaults to 1."),
    timeZone: field(
      8,
      text,
      "Time zone of the schedule, a name of the IANA database such as Europe/Zurich. Defaults to UTC.",
    ),
  }),
);
export type CronJobSpec = z.infer<typeof CronJobSpec>;

export const CronJobStatus = object("io.k8s.api.batch.v1.CronJobStatus", "Observed state of a CronJob.", () => ({
  active: field(1, atomicList(ObjectReference), "Running Jobs of the CronJob."),
  lastScheduleTime: field(4, time, "Scheduled time of the last Job that was started."),
  lastSuccessfulTime: field(5, time, "Time at which a Job last completed successfully."),
}));
export type CronJobStatus = z.infer<typeof CronJobStatus>;

export const CronJob = kind("io.k8s.api.batch.v1.CronJob", "A CronJob creates Jobs on a schedule.", () => ({
  metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
  spec: required(2, CronJobSpec, "Desired state of the CronJob."),
  status: field(3, CronJobStatus, "Observed state of the CronJob."),
}));
export type CronJob = z.infer<typeof CronJob>;
