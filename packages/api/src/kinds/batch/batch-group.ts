/** Everything of the group batch that other packages use. */
export * from "./cron-job/cron-job-keys.ts";
export * from "./cron-job/cron-job-kind.ts";
export * from "./cron-job/cron-job-type.ts";
export * from "./cron-job/cron-job.ts";
export * from "./cron-job/schedule/cron-schedule.ts";
export * from "./cron-job/schedule/time-zone.ts";
export * from "./job/completion-indexes.ts";
export * from "./job/job-conditions.ts";
export * from "./job/job-keys.ts";
export * from "./job/job-kind.ts";
export * from "./job/job-policies.ts";
export * from "./job/job-type.ts";
export * from "./job/job.ts";
