import { type Job, jobTrackingFinalizer, type Pod } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aPod } from "../../testing/test-cluster.ts";
import { aJob, JobWorld } from "./testing/job-world.ts";

const complete = ["SuccessCriteriaMet: CompletionsReached", "Complete: CompletionsReached"];
const failedBy = (reason: string) => [`FailureTarget: ${reason}`, `Failed: ${reason}`];

describe("a job controller", () => {
  test("runs pods until enough have succeeded, never exceeds its parallelism, and reports the outcome", async () => {
    const world = new JobWorld(aJob({ completions: 5, parallelism: 2 }));
    await world.start();
    await world.clock.advance(500);
    expect(world.status()).toMatchObject({ active: 2, ready: 2, terminating: 0, startTime: "2026-01-01T00:00:00Z" });
    await world.clock.advance(20_000);
    expect(world.conditions()).toEqual(complete);
    const { completionTime, startTime, conditions, ...status } = world.status();
    expect(status).toEqual({ succeeded: 5, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    expect(conditions?.[1]).toMatchObject({ message: "Reached expected number of succeeded pods" });
    expect([startTime, completionTime]).toEqual(["2026-01-01T00:00:00Z", expect.stringMatching(/^2026-01-01T00:00:0/)]);
    expect([world.mostActive, world.created, world.faults]).toEqual([2, 5, []]);
    expect(
      world.cluster.reasons().filter((reason) => reason.startsWith("SuccessfulCreate: Created pod: sum-")),
    ).toHaveLength(5);
    expect(world.cluster.reasons().at(-1)).toBe("Completed: Job completed");
    expect(world.pods().every(({ metadata }) => metadata.finalizers === undefined)).toBe(true);
  });

  test("never ends before its start, even if the clock was set back", async () => {
    const world = new JobWorld(aJob({}));
    await world.start();
    await world.clock.advance(500);
    world.clock.jumpWallTime(-86_400_000);
    await world.clock.advance(20_000);
    expect(world.conditions()).toEqual(complete);
    expect(world.status()).toMatchObject({ startTime: "2026-01-01T00:00:00Z", completionTime: "2026-01-01T00:00:00Z" });
  });

  test("does not change a finished Job", async () => {
    const world = new JobWorld(aJob({}));
    await world.start();
    await world.clock.advance(20_000);
    const before = world.cluster.api.log.revision;
    await world.clock.advance(3_600_000);
    expect([world.conditions(), world.cluster.api.log.revision]).toEqual([complete, before]);
  });

  test("ends a work queue at its first success, once the other pods have ended", async () => {
    const world = new JobWorld(aJob({ parallelism: 3 }));
    let left = 0;
    world.ending = (_pod, nth) => (nth === 1 ? 0 : "stays");
    await world.start();
    await world.clock.advance(3000);
    expect(world.conditions()).toEqual([]);
    left = world.active().length;
    for (const pod of world.active()) world.end(pod, 0);
    await world.clock.advance(3000);
    expect([left, world.created, world.status().succeeded, world.conditions()]).toEqual([2, 3, 3, complete]);
  });

  test("is complete immediately if it needs no completions", async () => {
    const world = new JobWorld(aJob({ completions: 0, parallelism: 1 }));
    await world.start();
    await world.clock.advance(1000);
    expect([world.created, world.conditions()]).toEqual([0, complete]);
  });

  test("replaces failed pods with growing delays, and gives up after the limit", async () => {
    const world = new JobWorld(aJob({ backoffLimit: 3 }));
    world.ending = () => 1;
    const atSeconds: number[] = [];
    const startMs = world.clock.nowMs();
    world.cluster.api.log.subscribe(({ resource, type }) => {
      if (resource === "pods" && type === "ADDED") atSeconds.push(Math.round((world.clock.nowMs() - startMs) / 1000));
    });
    await world.start();
    await world.clock.advance(300_000);
    // Each pod fails after a second. The next pods are made 10, 20 and 40 s later.
    expect(atSeconds).toEqual([0, 11, 32, 73]);
    expect(world.conditions()).toEqual(failedBy("BackoffLimitExceeded"));
    expect(world.status()).toMatchObject({ failed: 4 });
    expect(world.cluster.reasons()).toContain("BackoffLimitExceeded: Job has reached the specified backoff limit");
    expect(world.cluster.events.at(-1)?.type).toBe("Warning");
  });

  test("resets failures after a success, and restores them after a restart", async () => {
    const world = new JobWorld(aJob({ completions: 2, backoffLimit: 10 }));
    world.ending = (_pod, nth) => ([0, 1, 3].includes(nth) ? 1 : 0);
    await world.start();
    await world.clock.advance(12_500);
    expect(world.created).toBe(2);
    await world.cluster.kill();
    await world.start();
    await world.clock.advance(19_000);
    expect(world.created).toBe(2);
    await world.clock.advance(3000);
    // The third pod succeeds, so the fourth is made immediately, and the fifth 10 s after the
    // fourth has failed.
    expect(world.created).toBe(4);
    await world.clock.advance(20_000);
    expect([world.created, world.conditions()]).toEqual([5, complete]);
  });

  test("counts restarts if containers are restarted", async () => {
    const world = new JobWorld(aJob({ backoffLimit: 2 }, { restartPolicy: "OnFailure" }));
    world.ending = () => "stays";
    await world.start();
    await world.clock.advance(500);
    const [pod] = world.active() as [Pod];
    const restarted = (restartCount: number) =>
      world.put(pod, (each) => ({
        ...each,
        status: {
          ...each.status,
          containerStatuses: [{ name: "c", ready: true, restartCount, image: "busybox", imageID: "" }],
        },
      }));
    restarted(1);
    await world.clock.advance(1000);
    expect(world.conditions()).toEqual([]);
    restarted(2);
    await world.clock.advance(1000);
    expect([world.conditions(), world.active()]).toEqual([failedBy("BackoffLimitExceeded"), []]);
  });

  test("ends a Job that is active for too long, with its pods", async () => {
    const world = new JobWorld(aJob({ parallelism: 2, completions: 2, activeDeadlineSeconds: 30 }));
    world.ending = () => "stays";
    await world.start();
    await world.clock.advance(29_900);
    expect(world.active()).toHaveLength(2);
    await world.clock.advance(1000);
    expect(world.conditions()).toEqual(failedBy("DeadlineExceeded"));
    expect([world.pods(), world.status().failed]).toEqual([[], 2]);
  });

  test("delays the end of a Job until its last pod no longer exists", async () => {
    const world = new JobWorld(aJob({ activeDeadlineSeconds: 5 }));
    world.ending = () => "stays";
    await world.start();
    world.kubeletIsDead = true;
    await world.clock.advance(60_000);
    expect(world.conditions()).toEqual(["FailureTarget: DeadlineExceeded"]);
    expect(world.status()).toMatchObject({ terminating: 1, failed: 1 });
    for (const pod of world.pods()) world.cluster.remove("pods", pod);
    await world.clock.advance(1000);
    expect(world.conditions()).toEqual(failedBy("DeadlineExceeded"));
    expect(world.status()).toMatchObject({ terminating: 0, failed: 1 });
  });

  test("suspends and resumes a Job without counting the pods that it deletes", async () => {
    const world = new JobWorld(aJob({ completions: 4, parallelism: 2 }));
    await world.start();
    await world.clock.advance(500);
    world.change({ suspend: true });
    await world.clock.advance(10_000);
    expect([world.pods(), world.conditions()]).toEqual([[], ["Suspended: JobSuspended"]]);
    expect(world.status()).toMatchObject({ terminating: 0, ready: 0 });
    expect(world.status().failed ?? 0).toBe(0);
    world.change({ suspend: false });
    await world.clock.advance(10_000);
    expect(world.conditions()).toEqual(complete);
    expect(world.status()).toMatchObject({ succeeded: 4, startTime: "2026-01-01T00:00:10Z" });
    expect(world.cluster.reasons()).toEqual(
      expect.arrayContaining(["Suspended: Job suspended", "Resumed: Job resumed"]),
    );
  });

  test("starts no pods of a Job that is created suspended", async () => {
    const world = new JobWorld(aJob({ suspend: true, activeDeadlineSeconds: 5 }));
    await world.start();
    await world.clock.advance(60_000);
    expect([world.created, world.status().startTime, world.conditions()]).toEqual([
      0,
      undefined,
      ["Suspended: JobSuspended"],
    ]);
    world.change({ suspend: false });
    await world.clock.advance(4000);
    expect(world.conditions()).toEqual(complete);
  });

  test("follows changes of parallelism without counting the pods that it deletes", async () => {
    const world = new JobWorld(aJob({ completions: 9, parallelism: 3 }));
    world.ending = () => "stays";
    await world.start();
    await world.clock.advance(500);
    world.change({ parallelism: 1 });
    await world.clock.advance(500);
    expect([world.active().length, world.pods().length, world.status().failed]).toEqual([1, 1, undefined]);
    world.change({ parallelism: 4 });
    await world.clock.advance(500);
    expect(world.active()).toHaveLength(4);
  });

  test("ignores the Jobs of other controllers", async () => {
    const world = new JobWorld(aJob({ managedBy: "example.com/queue" }));
    await world.start();
    await world.clock.advance(5000);
    expect([world.created, world.status()]).toEqual([0, {}]);
  });

  test("adopts pods that its author's selector matches, and counts them", async () => {
    const labels = { app: "mine" };
    const job = aJob({ completions: 2, manualSelector: true, selector: { matchLabels: labels } });
    const template = { ...job.spec?.template, metadata: { labels } };
    const world = new JobWorld({ ...job, spec: { ...job.spec, template } } as Job);
    world.ending = () => "stays";
    world.cluster.put("pods", aPod("by-hand", { labels, phase: "Running" }));
    await world.start();
    await world.clock.advance(500);
    const adopted = world.cluster.find<Pod>("pods", "by-hand") as Pod;
    expect(adopted.metadata).toMatchObject({
      finalizers: [jobTrackingFinalizer],
      ownerReferences: [{ kind: "Job", name: "sum" }],
    });
    world.put(adopted, (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: { app: "other" } } }));
    await world.clock.advance(500);
    const released = world.cluster.find<Pod>("pods", "by-hand") as Pod;
    expect([released.metadata.finalizers, released.metadata.ownerReferences]).toEqual([undefined, undefined]);
    expect(world.active().filter(({ metadata }) => metadata.labels?.["app"] === "mine")).toHaveLength(1);
  });

  test("releases the pods of a deleted Job and of a missing Job", async () => {
    const world = new JobWorld(aJob({ completions: 3, parallelism: 3 }));
    world.ending = () => "stays";
    await world.start();
    await world.clock.advance(500);
    expect(world.pods().every(({ metadata }) => metadata.finalizers?.length === 1)).toBe(true);
    world.cluster.remove("jobs", world.job());
    await world.clock.advance(500);
    expect(world.pods().map(({ metadata }) => metadata.finalizers)).toEqual([undefined, undefined, undefined]);
  });

  test("queries the server before it releases a pod of an unknown Job", async () => {
    const world = new JobWorld(aJob({}));
    const isJobs = (path: string) => path.includes("/jobs?") && path.includes("watch=true");
    await world.start();
    await world.clock.advance(500);
    world.cluster.interfere = (request) => (isJobs(request.path) ? "hang" : "pass");
    world.cluster.api.endWatches();
    await world.clock.advance(2000);
    const other = { ...aJob({}), metadata: { ...aJob({}).metadata, name: "new", uid: "uid-of-new" } };
    world.cluster.put("jobs", other);
    const owner = { apiVersion: "batch/v1", kind: "Job", name: "new", uid: "uid-of-new", controller: true };
    const pod = aPod("of-new");
    const metadata = { ...pod.metadata, finalizers: [jobTrackingFinalizer], ownerReferences: [owner] };
    world.cluster.put("pods", { ...pod, metadata } as Pod);
    await world.clock.advance(500);
    expect(world.cluster.find<Pod>("pods", "of-new")?.metadata.finalizers).toEqual([jobTrackingFinalizer]);
  });
});
