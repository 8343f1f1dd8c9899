import type { JobSpec, Pod } from "@kintsugi/api";
import type { HandlerRequest } from "@kintsugi/client";
import { describe, expect, test } from "vitest";
import { crashVerdicts, failAtWrite, isWriteRequest } from "../../testing/fail-at-write.ts";
import { aJob, JobWorld } from "./testing/job-world.ts";

const isStatusWrite = ({ method, path }: HandlerRequest) => method === "PUT" && path.endsWith("/status");
const isRelease = ({ method, path }: HandlerRequest) => method === "PATCH" && path.includes("/pods/");

const spec: Partial<JobSpec> = { completions: 6, parallelism: 3 };

/** Some pods fail, and pods are removed as soon as they have ended. */
function aWorld(more: Partial<JobSpec> = {}): JobWorld {
  const world = new JobWorld(aJob({ ...spec, ...more }));
  world.removesEnded = true;
  world.ending = (_pod, nth) => (nth === 1 ? 1 : 0);
  return world;
}

function outcomeOf(world: JobWorld) {
  const { succeeded, failed, uncountedTerminatedPods: uncounted } = world.status();
  return {
    counted: [succeeded, failed],
    ended: [world.succeededUids.size, world.failedUids.size],
    uncounted,
    most: world.mostActive,
    faults: world.faults,
    held: world.pods().filter(({ metadata }) => metadata.finalizers !== undefined).length,
  };
}

const exact = { counted: [6, 1], ended: [6, 1], uncounted: {}, most: 3, faults: [], held: 0 };

describe("each completion is counted exactly once", () => {
  test.each(crashVerdicts)("when the process is killed at write k, for every k (%s)", async (verdict) => {
    let crashes = 0;
    for (let k = 1; k <= 40; k++) {
      const world = aWorld();
      const fault = failAtWrite(k, verdict);
      world.cluster.interfere = fault.interfere;
      await world.start();
      for (let i = 0; i < 300 && !fault.reached(); i++) await world.clock.advance(100);
      await world.clock.advance(20);
      if (!fault.reached()) break;
      crashes++;
      await world.cluster.kill();
      world.cluster.interfere = () => "pass";
      await world.clock.advance(15_000);
      await world.start();
      await world.clock.advance(60_000);
      expect({ k, ...outcomeOf(world) }).toEqual({ k, ...exact });
    }
    // 7 creations, 7 removals of finalizers, and at least 4 statuses between them.
    expect(crashes).toBeGreaterThanOrEqual(18);
  });

  test.each(crashVerdicts)("of an indexed Job, when the process is killed at write k (%s)", async (verdict) => {
    let crashes = 0;
    for (let k = 1; k <= 40; k++) {
      const world = aWorld({ completionMode: "Indexed", backoffLimitPerIndex: 1 });
      const fault = failAtWrite(k, verdict);
      world.cluster.interfere = fault.interfere;
      await world.start();
      for (let i = 0; i < 300 && !fault.reached(); i++) await world.clock.advance(100);
      if (!fault.reached()) break;
      crashes++;
      await world.cluster.kill();
      world.cluster.interfere = () => "pass";
      await world.clock.advance(15_000);
      await world.start();
      await world.clock.advance(60_000);
      expect({ k, indexes: world.status().completedIndexes, ...outcomeOf(world) }).toEqual({
        k,
        indexes: "0-5",
        ...exact,
      });
    }
    expect(crashes).toBeGreaterThanOrEqual(18);
  });

  test.each([
    ["a write of the status", isStatusWrite],
    ["the removal of a finalizer", isRelease],
    ["a creation", ({ method }: HandlerRequest) => method === "POST"],
  ] as const)("when the response to %s is lost and the process continues", async (_what, isHit) => {
    for (let k = 1; k <= 8; k++) {
      const world = aWorld();
      let hits = 0;
      world.cluster.interfere = (request) => (isHit(request) && ++hits === k ? "lose answer" : "pass");
      await world.start();
      await world.clock.advance(120_000);
      expect({ k, ...outcomeOf(world) }).toEqual({ k, ...exact });
    }
  });

  test("when another client continuously writes the Job", async () => {
    const world = aWorld();
    let labels = 0;
    const relabel = () => {
      const job = world.job();
      world.cluster.put("jobs", { ...job, metadata: { ...job.metadata, labels: { n: String(labels++) } } } as never);
      if (labels < 200) world.clock.after(70, relabel);
    };
    world.clock.after(100, relabel);
    await world.start();
    await world.clock.advance(120_000);
    expect([labels, outcomeOf(world)]).toEqual([200, exact]);
  });

  test.each(["/pods", "/jobs"])("when the watch of %s is late", async (path) => {
    const world = aWorld();
    world.cluster.delay = (watched) => (watched.includes(path) ? 700 : 0);
    await world.start();
    await world.clock.advance(120_000);
    expect(outcomeOf(world)).toEqual(exact);
  });

  test("when pods end at the moment at which their Job is suspended", async () => {
    const world = new JobWorld(aJob({ completions: 3, parallelism: 3 }));
    await world.start();
    await world.clock.advance(500);
    let released = 0;
    world.cluster.interfere = (request) => {
      // All pods end just before the controller removes the finalizer of the first pod.
      if (isRelease(request) && released++ === 0) for (const pod of world.active()) world.end(pod, 0);
      return "pass";
    };
    world.change({ suspend: true });
    await world.clock.advance(30_000);
    world.change({ suspend: false });
    await world.clock.advance(30_000);
    expect([world.status().succeeded, world.created, world.faults]).toEqual([3, 3, []]);
  });

  test("when the cache of the pods is stale and another process has counted in the meantime", async () => {
    const world = new JobWorld(aJob(spec));
    await world.start();
    await world.clock.advance(500);
    // The controller observes that its pods end, but cannot write.
    world.cluster.interfere = (request) => (isWriteRequest(request) ? "refuse" : "pass");
    await world.clock.advance(1000);
    const isPods = ({ path }: HandlerRequest) => path.includes("/pods?") && path.includes("watch=true");
    world.cluster.interfere = (request) => (isWriteRequest(request) ? "refuse" : isPods(request) ? "hang" : "pass");
    world.cluster.api.endWatches();
    await world.clock.advance(1000);
    for (const pod of world.pods()) {
      world.put(pod, ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, finalizers: [] } }) as Pod);
    }
    world.cluster.put("jobs", { ...world.job(), status: { ...world.job().status, succeeded: 3 } } as never);
    await world.clock.advance(1000);
    world.cluster.interfere = (request) => (isPods(request) ? "hang" : "pass");
    await world.clock.advance(10_000);
    expect([world.status().succeeded, world.faults]).toEqual([3, []]);
    world.cluster.interfere = () => "pass";
    await world.clock.advance(3_600_000);
    expect([world.status().succeeded, world.succeededUids.size, world.faults]).toEqual([6, 6, []]);
  });
});
