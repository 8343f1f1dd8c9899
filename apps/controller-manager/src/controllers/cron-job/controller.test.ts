import {
  type CronJob,
  type CronJobSpec,
  cronJobKind,
  applyDefaults,
  formatTimestamp,
  type Job,
  parseTimestamp,
} from "@kintsugi/api";
import { createMetrics } from "@kintsugi/daemon";
import { describe, expect, test } from "vitest";
import { crashVerdicts, failAtWrite } from "../../testing/fail-at-write.ts";
import { ControllerTestCluster } from "../../testing/test-cluster.ts";
import { cronJobController } from "./controller.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

function aCronJob(spec: Partial<CronJobSpec>, createdMs: number): CronJob {
  const cronJob: CronJob = {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: {
      name: "sum",
      namespace: "default",
      uid: "uid-of-sum",
      generation: 1,
      creationTimestamp: formatTimestamp(createdMs),
    },
    spec: {
      schedule: "* * * * *",
      jobTemplate: {
        metadata: { labels: { app: "sum" }, annotations: { note: "x" } },
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "busybox" }] } } },
      },
      ...spec,
    },
  };
  return applyDefaults(cronJobKind, cronJob);
}

/** A CronJob with its controller; `lastsMs` is how long its Jobs run. */
class CronWorld {
  readonly cluster = new ControllerTestCluster();
  readonly clock = this.cluster.clock;
  /** UIDs of all Jobs that have ever existed, by name. */
  readonly made = new Map<string, Set<string>>();
  lastsMs: number | undefined;
  readonly #ending = new Set<string>();

  constructor(spec: Partial<CronJobSpec>) {
    this.cluster.put("cronjobs", aCronJob(spec, this.clock.nowMs()));
    this.cluster.api.log.subscribe(() => this.#observe());
  }

  start(): Promise<void> {
    return this.cluster.start(cronJobController);
  }

  jobs(): Job[] {
    return this.cluster.api.log.list("jobs") as Job[];
  }

  stored(): CronJob {
    return this.cluster.find<CronJob>("cronjobs", "sum") as CronJob;
  }

  change(spec: Partial<CronJobSpec>): void {
    const stored = this.stored();
    this.cluster.put("cronjobs", { ...stored, spec: { ...stored.spec, ...spec } } as CronJob);
  }

  end(name: string, type: "Complete" | "Failed" = "Complete"): void {
    const job = this.cluster.find<Job>("jobs", name);
    if (job === undefined) return;
    const time = formatTimestamp(this.clock.nowMs());
    const completionTime = type === "Complete" ? { completionTime: time } : {};
    const conditions = [{ type, status: "True" as const }];
    this.cluster.put("jobs", { ...job, status: { startTime: time, ...completionTime, conditions } } as Job);
  }

  #observe(): void {
    for (const { metadata } of this.jobs()) {
      const { name = "", uid = "" } = metadata;
      this.made.set(name, (this.made.get(name) ?? new Set()).add(uid));
      if (this.lastsMs === undefined || this.#ending.has(uid)) continue;
      this.#ending.add(uid);
      this.clock.after(this.lastsMs, () => this.end(name));
    }
  }
}

const names = (jobs: readonly Job[]) => jobs.map(({ metadata }) => metadata.name ?? "").toSorted();

/** The name of the Job for the time `afterMs` after the beginning of the test. */
function nameAt(world: CronWorld, startMs: number, afterMs: number): string {
  return `sum-${Math.floor((startMs + afterMs) / minuteMs)}`;
}

describe("a CronJob", () => {
  test("measures how late a Job starts, under upstream's name", async () => {
    const world = new CronWorld({ schedule: "*/5 * * * *" });
    const metrics = createMetrics();
    world.cluster.metrics = metrics;
    await world.clock.advance(5 * minuteMs - (world.clock.nowMs() % (5 * minuteMs)) + 3000);
    await world.start();
    await world.clock.advance(1000);
    expect(world.jobs()).toHaveLength(1);
    const name = "cronjob_controller_cronjob_job_creation_skew_duration_seconds";
    const lines = (await metrics.exposition()).split("\n");
    expect(lines).toContain(`${name}_bucket{le="2"} 0`);
    expect(lines).toContain(`${name}_bucket{le="4"} 1`);
  });

  test("starts a Job of its template at each time and records it", async () => {
    const world = new CronWorld({ schedule: "*/5 * * * *", timeZone: "Asia/Kolkata" });
    const startMs = world.clock.nowMs();
    await world.start();
    await world.clock.advance(5 * minuteMs - 1);
    expect(world.jobs()).toEqual([]);
    await world.clock.advance(1000);
    const [job] = world.jobs();
    const dueMs = Math.floor(startMs / (5 * minuteMs) + 1) * 5 * minuteMs;
    expect(job?.metadata).toMatchObject({
      name: `sum-${dueMs / minuteMs}`,
      labels: { app: "sum" },
      annotations: { note: "x", "batch.kubernetes.io/cronjob-scheduled-timestamp": expect.stringContaining("+05:30") },
      ownerReferences: [{ kind: "CronJob", uid: "uid-of-sum", controller: true }],
    });
    expect(parseTimestamp(Object.values(job?.metadata.annotations ?? {})[1] ?? "")).toBe(dueMs);
    expect(world.stored().status).toMatchObject({
      active: [{ apiVersion: "batch/v1", kind: "Job", name: job?.metadata.name, uid: job?.metadata.uid }],
      lastScheduleTime: formatTimestamp(dueMs),
    });
    world.end(job?.metadata.name ?? "");
    await world.clock.advance(100);
    expect(world.stored().status?.active).toBeUndefined();
    expect(world.stored().status?.lastSuccessfulTime).toBe(formatTimestamp(world.clock.nowMs() - 100));
    expect(world.cluster.reasons()).toEqual([
      `SuccessfulCreate: Created job ${job?.metadata.name}`,
      `SawCompletedJob: Saw completed job: ${job?.metadata.name}, condition: Complete`,
    ]);
  });

  test.each<[CronJobSpec["concurrencyPolicy"], number, number]>([
    ["Allow", 3, 3],
    ["Forbid", 1, 1],
    ["Replace", 3, 1],
  ])("with the policy %s handles a Job that is still running", async (concurrencyPolicy, made, running) => {
    const world = new CronWorld({ concurrencyPolicy });
    await world.start();
    await world.clock.advance(3 * minuteMs + 1000);
    expect([world.made.size, world.jobs().length, world.stored().status?.active?.length]).toEqual([
      made,
      running,
      running,
    ]);
    if (concurrencyPolicy !== "Forbid") return;
    expect(world.cluster.reasons().at(-1)).toMatch(/^JobAlreadyActive: Not starting job because prior execution/);
    const [first] = world.jobs();
    world.end(first?.metadata.name ?? "");
    // Only the Job of the last missed time is started, immediately.
    await world.clock.advance(1000);
    expect(world.made.size).toBe(2);
  });

  test("starts nothing while it is suspended, and then starts only the last missed Job", async () => {
    const world = new CronWorld({ suspend: true });
    const startMs = world.clock.nowMs();
    await world.start();
    await world.clock.advance(10 * minuteMs + 1000);
    expect(world.jobs()).toEqual([]);
    world.change({ suspend: false });
    await world.clock.advance(1000);
    expect(names(world.jobs())).toEqual([nameAt(world, startMs, 10 * minuteMs)]);
  });

  test("keeps as many finished Jobs as its history limit allows", async () => {
    const world = new CronWorld({ successfulJobsHistoryLimit: 2 });
    const startMs = world.clock.nowMs();
    world.lastsMs = 1000;
    await world.start();
    await world.clock.advance(6 * minuteMs + 5000);
    expect(names(world.jobs())).toEqual([5, 6].map((minute) => nameAt(world, startMs, minute * minuteMs)));
    expect(world.cluster.reasons()).toContain(`SuccessfulDelete: Deleted job ${nameAt(world, startMs, minuteMs)}`);
  });

  test("reports a Job that a client created and a Job that no longer exists", async () => {
    const world = new CronWorld({ schedule: "0 * * * *" });
    const startMs = world.clock.nowMs();
    await world.start();
    await world.clock.advance(hourMs + 1000);
    const [job] = world.jobs() as [Job];
    const { annotations: _none, ...metadata } = job.metadata;
    world.cluster.put("jobs", { ...job, metadata: { ...metadata, name: "by-hand", uid: "by-hand" } } as Job);
    world.cluster.remove("jobs", job);
    await world.clock.advance(1000);
    expect(world.cluster.reasons()).toEqual(
      expect.arrayContaining([
        "UnexpectedJob: Saw a job that the controller did not create or forgot: by-hand",
        `MissingJob: Active job went missing: ${nameAt(world, startMs, hourMs)}`,
      ]),
    );
    await world.clock.advance(minuteMs);
    // The Job for this time has already run.
    expect(names(world.jobs())).toEqual(["by-hand"]);
  });
});

describe("after a time without a controller", () => {
  test.each<[string, Partial<CronJobSpec>, number, number]>([
    ["the last missed Job starts", {}, 30 * minuteMs, 1],
    ["the last of very many missed Jobs starts", {}, 300 * minuteMs, 1],
    [
      "a Job whose deadline has passed does not start",
      { schedule: "0 * * * *", startingDeadlineSeconds: 60 },
      hourMs + 61_000,
      0,
    ],
    [
      "a Job whose deadline has not passed starts",
      { schedule: "0 * * * *", startingDeadlineSeconds: 60 },
      hourMs + 59_000,
      1,
    ],
  ])("%s", async (_what, spec, awayMs, count) => {
    const world = new CronWorld(spec);
    await world.clock.advance(awayMs);
    await world.start();
    await world.clock.advance(500);
    expect(world.jobs()).toHaveLength(count);
    const warned = world.cluster.reasons().some((text) => text.startsWith("TooManyMissedTimes: too many missed start"));
    expect(warned).toBe(awayMs > 100 * minuteMs);
  });
});

test("an invalid schedule or one that is never due is reported", async () => {
  const world = new CronWorld({ schedule: "0 0 31 2 *" });
  await world.start();
  world.change({ schedule: "nonsense" });
  await world.clock.advance(1000);
  world.change({ schedule: "0 * * * *", timeZone: "Europe/Atlantis" });
  await world.clock.advance(2 * hourMs);
  expect(world.jobs()).toEqual([]);
  expect(world.cluster.reasons()).toEqual([
    "InvalidSchedule: invalid schedule: 0 0 31 2 * : time difference between two schedules is less than 1 second",
    'UnparseableSchedule: unparseable schedule: "nonsense" : expected exactly 5 fields, found 1: [nonsense]',
    'UnknownTimeZone: invalid timeZone: "Europe/Atlantis": unknown time zone Europe/Atlantis',
  ]);
});

test("another owner's Job under the next Job's name is ignored", async () => {
  const world = new CronWorld({});
  const name = nameAt(world, world.clock.nowMs(), minuteMs);
  world.cluster.put("jobs", {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace: "default", uid: "x" },
  });
  await world.start();
  await world.clock.advance(2 * minuteMs + 1000);
  expect(world.jobs()).toHaveLength(2);
  expect(world.stored().status?.active).toHaveLength(1);
});

describe("no scheduled time runs twice or is skipped", () => {
  test.each(crashVerdicts)("when the process is killed at write k, for every k (%s)", async (verdict) => {
    let crashes = 0;
    for (let k = 1; k <= 30; k++) {
      const world = new CronWorld({ successfulJobsHistoryLimit: 1, concurrencyPolicy: "Replace" });
      const startMs = world.clock.nowMs();
      world.lastsMs = 5000;
      const fault = failAtWrite(k, verdict);
      world.cluster.interfere = fault.interfere;
      await world.start();
      for (let i = 0; i < 5 * 60 && !fault.reached(); i++) await world.clock.advance(1000);
      await world.clock.advance(20);
      if (!fault.reached()) break;
      crashes++;
      await world.cluster.kill();
      world.cluster.interfere = () => "pass";
      await world.clock.advance(15_000);
      await world.start();
      await world.clock.advance(startMs + 6 * minuteMs + 30_000 - world.clock.nowMs());
      const minutes = [1, 2, 3, 4, 5, 6].map((minute) => nameAt(world, startMs, minute * minuteMs));
      expect({ k, made: [...world.made.keys()].toSorted() }).toEqual({ k, made: minutes });
      expect([...world.made.values()].map(({ size }) => size)).toEqual([1, 1, 1, 1, 1, 1]);
      expect(world.jobs()).toHaveLength(1);
      expect(world.stored().status?.active).toBeUndefined();
    }
    // Each of five minutes has a creation, a status, a status at its end, and usually a deletion.
    expect(crashes).toBeGreaterThanOrEqual(15);
  });

  test("when the wall clock is set forward, which no timer detects, and back again", async () => {
    const world = new CronWorld({ schedule: "0 * * * *" });
    const startMs = world.clock.nowMs();
    world.lastsMs = 1000;
    await world.start();
    await world.clock.advance(20 * minuteMs);
    world.clock.jumpWallTime(45 * minuteMs);
    await world.clock.advance(10 * minuteMs);
    expect([...world.made.keys()]).toEqual([nameAt(world, startMs, hourMs)]);
    world.clock.jumpWallTime(-45 * minuteMs);
    await world.clock.advance(80 * minuteMs);
    expect([...world.made.keys()]).toEqual([1, 2].map((hours) => nameAt(world, startMs, hours * hourMs)).slice(0, 1));
    await world.clock.advance(20 * minuteMs);
    expect([...world.made.values()].map(({ size }) => size)).toEqual([1, 1]);
  });

  test("with two controllers at the same time", async () => {
    const world = new CronWorld({});
    world.lastsMs = 5000;
    await world.start();
    await world.start();
    await world.clock.advance(5 * minuteMs + 30_000);
    expect([...world.made.values()].map(({ size }) => size)).toEqual([1, 1, 1, 1, 1]);
    expect(world.stored().status?.active).toBeUndefined();
  });

  test("with a cache that lacks both the last status and the last Job", async () => {
    const world = new CronWorld({ schedule: "0 * * * *" });
    await world.start();
    await world.clock.advance(hourMs - 1);
    world.cluster.interfere = ({ path }) => (path.includes("watch=true") ? "hang" : "pass");
    world.cluster.api.endWatches();
    await world.clock.advance(10_000);
    const [job] = world.jobs() as [Job];
    world.cluster.remove("jobs", job);
    // The controller reconciles again before the next time is due.
    await world.clock.advance(15 * minuteMs);
    expect([...world.made.values()].map(({ size }) => size)).toEqual([1]);
  });
});
