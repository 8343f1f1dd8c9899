import { isConditionTrue } from "../../../meta/conditions.ts";
import { formatAge, instantOf } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { formatHumanDuration } from "../../../table/human-duration.ts";
import { templateCells, templateColumns } from "../../apps/template-columns.ts";
import { podNamesWarnings } from "../../core/pod/warnings/pod-name-warnings.ts";
import { sameJson } from "../../../values/json.ts";
import { defineKind } from "../../define-kind.ts";
import { setJobDefaults } from "./job-defaults.ts";
import { generateJobSelector } from "./job-selector.ts";
import { validateJobStatus } from "./job-status-validation.ts";
import { jobs } from "./job-type.ts";
import { validateJobUpdate } from "./job-update-validation.ts";
import { validateJob } from "./job-validation.ts";
import { jobSpecWarnings } from "./job-warnings.ts";
import { Job } from "./job.ts";

export const jobKind = defineKind<Job>({
  type: jobs,
  schema: Job,
  defaults: setJobDefaults,
  validation: { validate: validateJob, update: validateJobUpdate, status: validateJobStatus },
  strategy: {
    status: true,
    generation: true,
    // Upstream retains this for clients that are older than garbage collection.
    orphansDependents: true,
    prepareForCreate: (job) => {
      job.status = {};
      generateJobSelector(job);
    },
    warnings: ({ metadata, spec }, before) => {
      // A name never changes, and the warnings about an unchanged spec were returned before.
      if (before === undefined) return [...podNamesWarnings(metadata.name), ...jobSpecWarnings(spec, "spec")];
      return sameJson(spec, before.spec) ? [] : jobSpecWarnings(spec, "spec");
    },
  },
  subresources: ["status"],
  selectable: { "status.successful": ({ status }) => String(status?.succeeded ?? 0) },
  table: {
    columns: [
      nameColumn,
      column("Status", "Status of the job."),
      column("Completions", "Number of pods in the phase Succeeded."),
      column("Duration", "Time required to complete the job."),
      ageColumn,
      ...templateColumns,
    ],
    cells: (job, nowMs) => [
      job.metadata.name ?? "",
      statusOf(job),
      completionsOf(job),
      durationOf(job, nowMs),
      formatAge(job, nowMs),
      ...templateCells(job.spec),
    ],
  },
});

function statusOf({ metadata, status }: Job): string {
  const has = (type: string) => isConditionTrue(status?.conditions, type);
  for (const type of ["Complete", "Failed"]) if (has(type)) return type;
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(has) ?? "Running";
}

function completionsOf({ spec, status }: Job): string {
  const { completions, parallelism = 0 } = spec ?? {};
  const succeeded = status?.succeeded ?? 0;
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationOf({ status }: Job, nowMs: number): string {
  const startedMs = instantOf(status?.startTime);
  if (startedMs === undefined) return "";
  return formatHumanDuration((instantOf(status?.completionTime) ?? nowMs) - startedMs);
}
