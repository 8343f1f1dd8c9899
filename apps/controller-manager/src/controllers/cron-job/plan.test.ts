import { applyDefaults, type CronJob, cronJobKind, type CronJobSpec, formatTimestamp, type Job } from "@kintsugi/api";
import { planSchedule } from "@kintsugi/rules";
import { describe, expect, test } from "vitest";
import { newJob } from "./new-job.ts";
import { planCronJob } from "./plan-cron-job.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** 2026-01-01T00:00:00Z */
const zeroMs = 1_767_225_600_000;

function aCronJob(spec: Partial<CronJobSpec> = {}, status: CronJob["status"] = {}): CronJob {
  const metadata = { name: "sum", namespace: "default", uid: "u", creationTimestamp: formatTimestamp(zeroMs) };
  return applyDefaults(cronJobKind, { metadata, spec: { schedule: "0 * * * *", jobTemplate: {}, ...spec }, status });
}

function ended(name: string, type: "Complete" | "Failed", startedMs?: number): Job {
  const started = startedMs === undefined ? {} : { startTime: formatTimestamp(startedMs) };
  return { metadata: { name, uid: name }, status: { ...started, conditions: [{ type, status: "True" }] } };
}

describe("the scheduled time", () => {
  test.each<[string, Partial<CronJobSpec>, number | undefined, number, (number | undefined)[]]>([
    ["is absent before the first time", {}, undefined, hourMs - 1, [undefined, hourMs]],
    ["is the first time, to the millisecond", {}, undefined, hourMs, [hourMs, 2 * hourMs]],
    ["is the last of several times", {}, undefined, 3.5 * hourMs, [3 * hourMs, 4 * hourMs]],
    ["is absent if it was served", {}, 3 * hourMs, 3.5 * hourMs, [undefined, 4 * hourMs]],
    ["is absent after a clock was set back", {}, 3 * hourMs, 1.5 * hourMs, [undefined, 4 * hourMs]],
    ["is returned at its deadline", { startingDeadlineSeconds: 60 }, undefined, hourMs + 60_000, [hourMs, 2 * hourMs]],
    [
      "is absent after the deadline",
      { startingDeadlineSeconds: 60 },
      undefined,
      hourMs + 60_001,
      [undefined, 2 * hourMs],
    ],
    [
      "intervals from the last run",
      { schedule: "@every 7m" },
      10 * minuteMs,
      30 * minuteMs,
      [24 * minuteMs, 31 * minuteMs],
    ],
    [
      "intervals with a deadline that is shorter",
      { schedule: "@every 7m", startingDeadlineSeconds: 10 },
      10 * minuteMs,
      17 * minuteMs,
      [17 * minuteMs, 24 * minuteMs],
    ],
    ["nothing while suspended", { suspend: true }, undefined, 3 * hourMs, [undefined, undefined]],
  ])("%s", (_what, spec, last, now, [due, next]) => {
    const from = (ms: number | undefined) => (ms === undefined ? undefined : zeroMs + ms);
    const plan = planSchedule(aCronJob(spec), from(last), zeroMs + now);
    expect([plan.dueMs, plan.nextMs, plan.notes]).toEqual([from(due), from(next), []]);
  });
});

test("the oldest finished Jobs exceed the history limit, separately for each outcome", () => {
  const owned = [
    ended("c", "Complete", zeroMs + 2000),
    ended("b", "Complete", zeroMs + 1000),
    ended("a", "Complete", zeroMs + 1000),
    ended("never-started", "Failed"),
    ended("old", "Failed", zeroMs),
  ];
  const cronJob = aCronJob({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 1 });
  const { remove } = planCronJob(cronJob, owned, zeroMs);
  expect(remove.map(({ metadata }) => metadata.name)).toEqual(["a", "b", "old"]);
});

test("a Job that was started before its status was written is adopted", () => {
  const cronJob = aCronJob({ concurrencyPolicy: "Forbid" });
  const job = newJob(cronJob, zeroMs + hourMs);
  job.metadata.uid = "j";
  const plan = planCronJob(cronJob, [job], zeroMs + hourMs + 5);
  expect(plan).toMatchObject({
    notes: [],
    status: { active: [{ uid: "j" }], lastScheduleTime: "2026-01-01T01:00:00Z" },
  });
  expect(plan.startMs).toBeUndefined();
});

test("a Job with an invented time does not delay the next Job", () => {
  const cronJob = aCronJob();
  const future = newJob(cronJob, zeroMs + 1000 * hourMs);
  const other = {
    ...newJob(cronJob, zeroMs + 2 * hourMs),
    metadata: { ...newJob(cronJob, zeroMs + 2 * hourMs).metadata, name: "x" },
  };
  const plan = planCronJob(cronJob, [future, other], zeroMs + 2 * hourMs);
  expect(plan.startMs).toBe(zeroMs + 2 * hourMs);
});

test.each([
  [undefined, "2026-01-01T00:00:00Z"],
  ["Europe/London", "2026-01-01T00:00:00Z"],
  ["America/St_Johns", "2025-12-31T20:30:00-03:30"],
  ["Asia/Kathmandu", "2026-01-01T05:45:00+05:45"],
])("a Job shows its time in the zone %s", (timeZone, text) => {
  const { metadata } = newJob(aCronJob(timeZone === undefined ? {} : { timeZone }), zeroMs);
  expect(metadata.annotations).toEqual({ "batch.kubernetes.io/cronjob-scheduled-timestamp": text });
});
