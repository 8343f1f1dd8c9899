import type { Faults } from "../../../validation/faults.ts";
import { validateObjectMeta } from "../../../validation/object-meta.ts";
import { checkSubdomain1123 } from "../../../values/names.ts";
import { validateJobTemplate } from "../job/job-validation.ts";
import { concurrencyPolicies, type CronJob } from "./cron-job.ts";
import { parseSchedule } from "./schedule/cron-schedule.ts";
import { findTimeZone, utc } from "./schedule/time-zone.ts";

/** A Job's name adds a hyphen and ten digits, and must be a label of at most 63 characters. */
const nameLengthMax = 52;

/**
 * Five fields that list all of their values have about 400 characters. Upstream has no limit, but
 * parsing a megabyte would take a quarter of a second.
 */
const scheduleLengthMax = 1024;

/** Allowed characters in each part of a zone's name, as upstream spells them. */
const zonePart = /^[A-Za-z.\-_0-9+]{1,14}$/;

/** Applies the rules of ValidateCronJobCreate of pkg/apis/batch/validation. */
export function validateNewCronJob(cronJob: CronJob, faults: Faults): void {
  const { metadata, spec } = cronJob;
  validateObjectMeta(metadata, { namespaced: true, checkName: checkSubdomain1123 }, faults);
  validateTimeZone(spec.timeZone, faults);
  validateCronJob(cronJob, faults);
}

/** The rules for new and changed objects; a time zone is checked only when it changes. */
export function validateCronJob({ metadata, spec }: CronJob, faults: Faults): void {
  validateSchedule(spec.schedule, faults);
  faults.notNegative("spec.startingDeadlineSeconds", spec.startingDeadlineSeconds);
  faults.oneOf("spec.concurrencyPolicy", spec.concurrencyPolicy, concurrencyPolicies);
  validateJobTemplate(spec.jobTemplate, "spec.jobTemplate", faults);
  faults.notNegative("spec.successfulJobsHistoryLimit", spec.successfulJobsHistoryLimit);
  faults.notNegative("spec.failedJobsHistoryLimit", spec.failedJobsHistoryLimit);
  const { name = "" } = metadata;
  if (name.length > nameLengthMax) {
    faults.invalid("metadata.name", name, `must be no more than ${nameLengthMax} characters`);
  }
}

/** The other fields can still be changed if a later version of the database lacks the time zone. */
export function validateCronJobUpdate({ spec }: CronJob, before: CronJob, faults: Faults): void {
  if (spec.timeZone !== before.spec.timeZone) validateTimeZone(spec.timeZone, faults);
}

function validateSchedule(schedule: string, faults: Faults): void {
  const field = "spec.schedule";
  if (schedule === "") return faults.required(field);
  if (schedule.length > scheduleLengthMax) return faults.tooLong(field, scheduleLengthMax);
  if (schedule.includes("TZ")) {
    faults.invalid(field, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  }
  // Upstream's library accepts a time zone in front of the fields.
  const parsed = parseSchedule(schedule.replace(/^(?:CRON_)?TZ=\S* +/, ""), utc);
  if ("problem" in parsed) faults.invalid(field, schedule, parsed.problem);
}

function validateTimeZone(timeZone: string | undefined, faults: Faults): void {
  const field = "spec.timeZone";
  if (timeZone === undefined) return;
  if (timeZone === "") return faults.invalid(field, timeZone, "timeZone must be nil or non-empty string");
  const isPath = timeZone
    .split("/")
    .every((part) => part !== "." && part !== ".." && !part.startsWith("-") && zonePart.test(part));
  if (isPath && timeZone.toLowerCase() === "local") {
    const database = "https://www.iana.org/time-zones";
    faults.invalid(field, timeZone, `timeZone must be an explicit time zone as defined in ${database}`);
  }
  if (timeZone === "Local" || (isPath && findTimeZone(timeZone) !== undefined)) return;
  faults.invalid(field, timeZone, `unknown time zone ${timeZone}`);
}
