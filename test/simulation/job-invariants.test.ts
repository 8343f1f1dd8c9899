import type { Job, Pod } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aPod, openWorld } from "./planted-world.ts";

const tracking = "batch.kubernetes.io/job-tracking";
const owner = { apiVersion: "batch/v1", kind: "Job", name: "sums", uid: "job", controller: true };

type World = ReturnType<typeof openWorld>;

function aJob(status: Job["status"], spec: Partial<Job["spec"]> = {}): Job {
  const template = { spec: { containers: [] } };
  return {
    metadata: { name: "sums", namespace: "default", uid: "job" },
    spec: { parallelism: 2, completions: 3, template, ...spec },
    ...(status ? { status } : {}),
  };
}

interface WorkerTraits {
  phase?: "Running" | "Succeeded" | "Failed";
  index?: number;
  isReleased?: boolean;
}

function aWorker(name: string, { phase = "Running", index, isReleased = false }: WorkerTraits = {}): Pod {
  const annotations = index === undefined ? {} : { "batch.kubernetes.io/job-completion-index": String(index) };
  const finalizers = isReleased ? {} : { finalizers: [tracking] };
  return aPod(name, { phase, metadata: { ownerReferences: [owner], annotations, ...finalizers } });
}

const putJob = (world: World, job: Job) => world.put("batch/jobs/default/sums", job);

/** Makes the pod run and succeed, as the API then shows. */
async function succeed(world: World, name: string, index?: number): Promise<void> {
  const traits = index === undefined ? {} : { index };
  await world.putPod(aWorker(name, traits));
  for (const type of ["created", "started", "stopped"] as const) world.happens(type, { id: `c-${name}`, pod: name });
  await world.putPod(aWorker(name, { ...traits, phase: "Succeeded" }));
}

async function aWorldWithSuccess(): Promise<World> {
  const world = openWorld();
  await putJob(world, aJob(undefined));
  await succeed(world, "a");
  return world;
}

describe("successes-count-once: each success of a Job counts once", () => {
  test("a success that is listed, released and counted is valid, and a second count of it is not", async () => {
    const world = await aWorldWithSuccess();
    await putJob(world, aJob({ uncountedTerminatedPods: { succeeded: ["uid-of-a"] } }));
    await world.putPod(aWorker("a", { phase: "Succeeded", isReleased: true }));
    await putJob(world, aJob({ succeeded: 1 }));
    expect(world.invariants.violation).toBeUndefined();
    await putJob(world, aJob({ succeeded: 2 }));
    expect(world.found()).toEqual([
      "successes-count-once",
      "job default/sums counts 2 successes, but 1 pods succeeded",
    ]);
  });

  test("a success that is counted and still listed counts twice", async () => {
    const world = await aWorldWithSuccess();
    await putJob(world, aJob({ succeeded: 1, uncountedTerminatedPods: { succeeded: ["uid-of-a"] } }));
    expect(world.found()).toEqual([
      "successes-count-once",
      "job default/sums counts 2 successes, but 1 pods succeeded",
    ]);
  });

  test("a pod is released before the status counts it, unless the Job has ended", async () => {
    const world = await aWorldWithSuccess();
    await world.putPod(aWorker("a", { phase: "Succeeded", isReleased: true }));
    const message = "job default/sums releases pod default/a but has not counted its success";
    expect(world.found()).toEqual(["successes-count-once", message]);
    const ended = await aWorldWithSuccess();
    await putJob(ended, aJob({ conditions: [{ type: "Failed", status: "True" }] }));
    await ended.putPod(aWorker("a", { phase: "Succeeded", isReleased: true }));
    expect(ended.invariants.violation).toBeUndefined();
  });

  test("a pod that the API reports as Succeeded although its container failed", async () => {
    const world = openWorld();
    await putJob(world, aJob(undefined));
    await world.putPod(aWorker("a"));
    for (const type of ["created", "started", "stopped"] as const)
      world.happens(type, { id: "c", pod: "a", exitCode: 1 });
    await world.putPod(aWorker("a", { phase: "Succeeded" }));
    expect(world.found()).toEqual([
      "successes-count-once",
      "pod default/a succeeded, but no container of it exited with 0",
    ]);
  });

  test("a count that decreases, and a Job that continues after its end", async () => {
    const fallen = await aWorldWithSuccess();
    await putJob(fallen, aJob({ succeeded: 1 }));
    await putJob(fallen, aJob({ succeeded: 0 }));
    expect(fallen.found()).toEqual(["successes-count-once", "job default/sums has 0 successes after 1"]);
    const risen = await aWorldWithSuccess();
    await putJob(risen, aJob({ succeeded: 1, conditions: [{ type: "Complete", status: "True" }] }));
    await putJob(risen, aJob({ succeeded: 1 }));
    expect(risen.found()).toEqual(["successes-count-once", "job default/sums had finished but continues"]);
  });

  test("an index counts once, and only if a pod of it has succeeded", async () => {
    const indexed = { completionMode: "Indexed" as const };
    const world = openWorld();
    await putJob(world, aJob(undefined, indexed));
    await succeed(world, "a", 1);
    await putJob(world, aJob({ succeeded: 1, completedIndexes: "1" }, indexed));
    await world.putPod(aWorker("a", { index: 1, phase: "Succeeded", isReleased: true }));
    expect(world.invariants.violation).toBeUndefined();
    await putJob(world, aJob({ succeeded: 2, completedIndexes: "1-2" }, indexed));
    expect(world.found()).toEqual([
      "successes-count-once",
      "job default/sums counts index 2, for which no pod has succeeded",
    ]);
    const twice = openWorld();
    await putJob(twice, aJob(undefined, indexed));
    for (const name of ["a", "b"]) await succeed(twice, name, 1);
    await putJob(twice, aJob({ succeeded: 2, completedIndexes: "1" }, indexed));
    expect(twice.found()).toEqual(["successes-count-once", "job default/sums counts 2 of 1 indexes"]);
  });
});

test("owners-have-no-surplus-pods: more pods of a running Job than its parallelism", async () => {
  const world = openWorld();
  await putJob(world, aJob(undefined));
  for (const name of ["a", "b", "c"]) await world.putPod(aWorker(name));
  expect(world.found()).toEqual(["owners-have-no-surplus-pods", "sums requests 2 pods and has 3"]);
});
