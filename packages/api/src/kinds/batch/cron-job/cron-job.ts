import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, int32, int64, oneOf, text, time } from "../../../schema/types.ts";
import { ObjectReference } from "../../core/references.ts";
import { JobTemplateSpec } from "../job/job.ts";

export const concurrencyPolicies = ["Allow", "Forbid", "Replace"] as const;

export const CronJobSpec = object(
  "io.k8s.api.batch.v1.CronJobSpec",
  "The spec describes when the Jobs of a CronJob run, and of which template they are made.",
  () => ({
    schedule: required(1, text, "The Jobs start at the times of this line of cron, such as 30 4 * * 1-5 or @hourly."),
    startingDeadlineSeconds: field(
      2,
      int64,
      "A Job that could not start within this many seconds after its time does not start at all; without it there is no limit.",
    ),
    concurrencyPolicy: field(
      3,
      oneOf(...concurrencyPolicies),
      "While an earlier Job runs, Allow, the default, starts the next beside it, Forbid skips the next, and Replace deletes the earlier one.",
    ),
    suspend: field(4, bool, "If true, no further Jobs start, and those that run go on; the default is false."),
    jobTemplate: required(5, JobTemplateSpec, "The Jobs are made from this template."),
    successfulJobsHistoryLimit: field(6, int32, "This many completed Jobs are kept; the default is 3."),
    failedJobsHistoryLimit: field(7, int32, "This many failed Jobs are kept; the default is 1."),
    timeZone: field(
      8,
      text,
      "The schedule is read by the clock of this zone of the IANA's database, such as Europe/Zurich; without it by that of UTC.",
    ),
  }),
);
export type CronJobSpec = z.infer<typeof CronJobSpec>;

export const CronJobStatus = object(
  "io.k8s.api.batch.v1.CronJobStatus",
  "The status reports which Jobs of a CronJob run, and when Jobs have run.",
  () => ({
    active: field(1, atomicList(ObjectReference), "These Jobs have started and have not finished."),
    lastScheduleTime: field(4, time, "A Job was last started for this time of the schedule."),
    lastSuccessfulTime: field(5, time, "A Job last completed at this time."),
  }),
);
export type CronJobStatus = z.infer<typeof CronJobStatus>;

export const CronJob = kind(
  "io.k8s.api.batch.v1.CronJob",
  "A CronJob starts a Job at each time of a schedule.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: required(2, CronJobSpec, "The spec describes the desired behaviour of the CronJob."),
    status: field(3, CronJobStatus, "The status reports the last observed state of the CronJob."),
  }),
);
export type CronJob = z.infer<typeof CronJob>;
