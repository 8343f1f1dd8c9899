import { type CronJob, cronJobTimeAnnotation, formatTimestamp, type Job } from "@kintsugi/api";
import { expect, test } from "vitest";
import { openWorld } from "./planted-world.ts";

const second = 1000;
const minute = 60 * second;
const owner = { apiVersion: "batch/v1", kind: "CronJob", name: "nightly", uid: "cron", controller: true };

type World = ReturnType<typeof openWorld>;

const putCronJob = (world: World, spec: Partial<CronJob["spec"]> = {}) =>
  world.put("batch/cronjobs/default/nightly", {
    metadata: { name: "nightly", namespace: "default", uid: "cron" },
    spec: { schedule: "* * * * *", jobTemplate: {}, ...spec },
  });

function aJobFor(time: string, { name = `nightly-${time}`, isOver = true } = {}): Job {
  return {
    metadata: {
      name,
      namespace: "default",
      uid: `uid-of-${name}`,
      ownerReferences: [owner],
      annotations: { [cronJobTimeAnnotation]: time },
    },
    status: isOver ? { conditions: [{ type: "Complete", status: "True" }] } : {},
  };
}

const putJob = (world: World, job: Job) => world.put(`batch/jobs/default/${job.metadata.name}`, job);

/** The last full minute. */
const lastMinute = ({ clock }: World) => formatTimestamp(Math.floor(clock.nowMs() / minute) * minute);

/** Lets minutes pass, each of which gets its Job. */
async function serve(world: World, minutes: number): Promise<void> {
  for (let count = 0; count < minutes; count++) {
    await world.live(minute);
    await putJob(world, aJobFor(lastMinute(world)));
  }
}

test("scheduled-times-have-one-job: a second Job of a CronJob for one time, even if the first no longer exists", async () => {
  const world = openWorld();
  const first = aJobFor("2026-01-01T00:00:00Z", { name: "nightly-1" });
  await putJob(world, first);
  await putJob(world, first);
  await world.remove("batch/jobs/default/nightly-1", first);
  await putJob(world, aJobFor("2026-01-01T00:01:00Z", { name: "nightly-2" }));
  expect(world.invariants.violation).toBeUndefined();
  await putJob(world, aJobFor("2026-01-01T00:00:00Z", { name: "nightly-3" }));
  const message = "job default/nightly-3 is the second of nightly for 2026-01-01T00:00:00Z";
  expect(world.found()).toEqual(["scheduled-times-have-one-job", message]);
});

test("scheduled-times-are-served: a time of a schedule that has no Job a minute later", async () => {
  const world = openWorld();
  await putCronJob(world);
  await serve(world, 3);
  expect(world.invariants.violation).toBeUndefined();
  expect(world.invariants.checksByName["scheduled-times-are-served"]).toBeGreaterThan(10);
  await world.live(3 * minute);
  expect(world.found()).toEqual([
    "scheduled-times-are-served",
    expect.stringContaining("cron job default/nightly has no Job for "),
  ]);
});

test("scheduled-times-are-served: earlier times may be missed, and all times in the middle of faults", async () => {
  const world = openWorld();
  const settle = world.quietPeriod.disturb();
  await putCronJob(world);
  await world.live(5 * minute);
  settle();
  await world.live(30 * second);
  await putJob(world, aJobFor(lastMinute(world)));
  await serve(world, 2);
  expect(world.invariants.violation).toBeUndefined();
});

test("scheduled-times-are-served: a CronJob that is suspended, or whose deadline had passed before the quiet period, requires no Job", async () => {
  const world = openWorld();
  await putCronJob(world, { suspend: true });
  await world.live(5 * minute);
  await putCronJob(world, { schedule: "0 0 1 1 *", startingDeadlineSeconds: 10 });
  await world.live(5 * minute);
  expect(world.invariants.violation).toBeUndefined();
});

test("scheduled-times-are-served: a policy that forbids a second Job delays it until the first Job ends, and no longer", async () => {
  const world = openWorld();
  await putCronJob(world, { concurrencyPolicy: "Forbid" });
  await world.live(minute);
  const time = lastMinute(world);
  await putJob(world, aJobFor(time, { isOver: false }));
  await world.live(6 * minute);
  expect(world.invariants.violation).toBeUndefined();
  await putJob(world, aJobFor(time));
  await world.live(2 * minute);
  expect(world.invariants.violation?.invariant).toBe("scheduled-times-are-served");
});
