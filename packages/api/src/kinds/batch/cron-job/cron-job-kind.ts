import { formatAge, formatSince } from "../../../table/cells.ts";
import { ageColumn, type Column, column, integerColumn, nameColumn } from "../../../table/columns.ts";
import { templateCells, templateColumns } from "../../apps/template-columns.ts";
import { podNamesWarnings } from "../../core/pod/warnings/pod-name-warnings.ts";
import { sameJson } from "../../../values/json.ts";
import { defineKind } from "../../define-kind.ts";
import { setJobTemplateDefaults } from "../job/job-defaults.ts";
import { jobSpecWarnings } from "../job/job-warnings.ts";
import { cronJobs } from "./cron-job-type.ts";
import { validateCronJob, validateCronJobUpdate, validateNewCronJob } from "./cron-job-validation.ts";
import { CronJob } from "./cron-job.ts";

const suspendColumn: Column = {
  ...column("Suspend", "True if the CronJob does not start Jobs."),
  type: "boolean",
};

export const cronJobKind = defineKind<CronJob>({
  type: cronJobs,
  schema: CronJob,
  defaults: setCronJobDefaults,
  validation: { create: validateNewCronJob, validate: validateCronJob, update: validateCronJobUpdate },
  strategy: {
    status: true,
    generation: true,
    prepareForCreate: (cronJob) => {
      cronJob.status = {};
    },
    warnings: ({ metadata, spec }, before) => {
      const path = "spec.jobTemplate.spec";
      const template = spec.jobTemplate.spec;
      if (before === undefined) return [...podNamesWarnings(metadata.name), ...jobSpecWarnings(template, path)];
      return [...(sameJson(spec, before.spec) ? [] : jobSpecWarnings(template, path)), ...zoneWarnings(spec.schedule)];
    },
  },
  subresources: ["status"],
  table: {
    columns: [
      nameColumn,
      column("Schedule", "Schedule in cron format."),
      column("Timezone", "Time zone of the schedule."),
      suspendColumn,
      integerColumn("Active", "Number of running Jobs."),
      column("Last Schedule", "Time since the last Job started."),
      ageColumn,
      ...templateColumns,
    ],
    cells: (cronJob, nowMs) => {
      const { spec, status } = cronJob;
      const last = status?.lastScheduleTime;
      return [
        cronJob.metadata.name ?? "",
        spec.schedule,
        spec.timeZone ?? "<none>",
        formatFlag(spec.suspend),
        status?.active?.length ?? 0,
        last === undefined ? "<none>" : formatSince(last, nowMs),
        formatAge(cronJob, nowMs),
        ...templateCells(spec.jobTemplate.spec),
      ];
    },
  },
});

/** Sets the defaults of SetDefaults_CronJob in pkg/apis/batch/v1. */
function setCronJobDefaults({ spec }: CronJob): void {
  if (spec === undefined) return;
  spec.concurrencyPolicy ??= "Allow";
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
  if (spec.jobTemplate.spec !== undefined) setJobTemplateDefaults(spec.jobTemplate.spec);
}

/**
 * A schedule that contains its time zone is rejected in a new CronJob, but an old CronJob may keep
 * it.
 */
function zoneWarnings(schedule: string): string[] {
  if (!schedule.includes("TZ")) return [];
  const page = "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/";
  // Upstream's path has "spec" twice.
  return [`cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see ${page} for more details`];
}

function formatFlag(flag: boolean | undefined): string {
  if (flag === undefined) return "<unset>";
  return flag ? "True" : "False";
}
