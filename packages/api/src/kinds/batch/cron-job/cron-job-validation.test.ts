import { describe, expect, test } from "vitest";
import { validateCreate, validateUpdate } from "../../../validation/validate.ts";
import { cronJobKind } from "./cron-job-kind.ts";
import type { CronJob } from "./cron-job.ts";
import { aCronJob, aJobTemplate } from "./testing/a-cron-job.ts";

function faultsOf(cronJob: CronJob): string[] {
  return validateCreate(cronJobKind, cronJob).map(({ field, message }) => `${field}: ${message}`);
}

test("a CronJob gets upstream's defaults, and its template gets a template's defaults", () => {
  const { spec } = aCronJob({});
  expect(spec).toMatchObject({
    concurrencyPolicy: "Allow",
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  });
  expect(spec.jobTemplate.spec?.template.spec).toMatchObject({ terminationGracePeriodSeconds: 30 });
  // These are set when a Job is made from the template.
  expect(spec.jobTemplate.spec?.backoffLimit).toBeUndefined();
});

describe("a CronJob may have", () => {
  test.each<[string, object]>([
    ["no limits", { successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0, startingDeadlineSeconds: 0 }],
    ["a zone", { timeZone: "America/Argentina/Buenos_Aires" }],
    ["an alias of a zone", { timeZone: "Asia/Kolkata" }],
    ["an old name of a zone", { timeZone: "EST5EDT" }],
    ["a zone name of one part", { timeZone: "UTC" }],
    ["an interval", { schedule: "@every 1h30m" }],
    ["question marks", { schedule: "0 ? 1 ? ?" }],
  ])("%s", (_what, spec) => {
    expect(faultsOf(aCronJob(spec))).toEqual([]);
  });
});

const zones = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";

test.each<[string, object, string[]]>([
  ["no schedule", { schedule: "" }, ["spec.schedule: Required value"]],
  [
    "four fields",
    { schedule: "0 4 * *" },
    ['spec.schedule: Invalid value: "0 4 * *": expected exactly 5 fields, found 4: [0 4 * *]'],
  ],
  [
    "a zone in the schedule",
    { schedule: "CRON_TZ=UTC 0 4 * * *" },
    [
      'spec.schedule: Invalid value: "CRON_TZ=UTC 0 4 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
  ],
  [
    "a schedule that takes long to parse",
    { schedule: `${"0,".repeat(600)}0 4 * * *` },
    ["spec.schedule: Too long: may not be more than 1024 bytes"],
  ],
  [
    "a negative deadline",
    { startingDeadlineSeconds: -1 },
    ["spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [
    "negative histories",
    { successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -2 },
    [
      "spec.successfulJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0",
      "spec.failedJobsHistoryLimit: Invalid value: -2: must be greater than or equal to 0",
    ],
  ],
  ["no policy", { concurrencyPolicy: "" }, ["spec.concurrencyPolicy: Required value"]],
  [
    "an unknown policy",
    { concurrencyPolicy: "Queue" },
    ['spec.concurrencyPolicy: Unsupported value: "Queue": supported values: "Allow", "Forbid", "Replace"'],
  ],
  ["an empty zone", { timeZone: "" }, ['spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string']],
  ["the zone of the machine", { timeZone: "Local" }, [`spec.timeZone: Invalid value: "Local": ${zones}`]],
  [
    "the zone of the machine in capital letters",
    { timeZone: "LOCAL" },
    [
      `spec.timeZone: Invalid value: "LOCAL": ${zones}`,
      'spec.timeZone: Invalid value: "LOCAL": unknown time zone LOCAL',
    ],
  ],
  ...[
    "AMERICA/new_york",
    "asia/calcutta",
    "America/New York",
    "America/../Berlin",
    "-1",
    "+0500",
    "PST",
    "SystemV/PST8",
    "Europe/Atlantis",
    " ",
  ].map((timeZone): [string, object, string[]] => [
    `the zone "${timeZone}"`,
    { timeZone },
    [`spec.timeZone: Invalid value: "${timeZone}": unknown time zone ${timeZone}`],
  ]),
  [
    "a template that restarts forever",
    {
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: "Always", containers: [{ name: "c", image: "x" }] } } },
      },
    },
    ['spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  ],
  [
    "a template with a selector",
    { jobTemplate: { spec: { ...aJobTemplate.spec, manualSelector: true } } },
    ['spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"'],
  ],
])("rejected: %s", (_what, spec, faults) => {
  expect(faultsOf(aCronJob(spec))).toEqual(faults);
});

test("a name is short enough for the minute in the names of the Jobs", () => {
  expect(faultsOf(aCronJob({}, { name: "x".repeat(52) }))).toEqual([]);
  const name = "x".repeat(53);
  expect(faultsOf(aCronJob({}, { name }))).toEqual([
    `metadata.name: Invalid value: "${name}": must be no more than 52 characters`,
  ]);
});

test("a time zone that has become unknown prevents only changes of the time zone", () => {
  const before = aCronJob({ timeZone: "Europe/Atlantis" });
  const change = (spec: object) => validateUpdate(cronJobKind, { before, after: aCronJob(spec) }).map((i) => i.field);
  expect(change({ timeZone: "Europe/Atlantis", suspend: true })).toEqual([]);
  expect(change({ timeZone: "Europe/Lemuria" })).toEqual(["spec.timeZone"]);
  expect(change({})).toEqual([]);
});
