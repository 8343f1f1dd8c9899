import type { Job, JobSpec, Pod } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aJob, JobWorld } from "./testing/job-world.ts";

const complete = ["SuccessCriteriaMet: CompletionsReached", "Complete: CompletionsReached"];
const failedBy = (reason: string) => [`FailureTarget: ${reason}`, `Failed: ${reason}`];
const indexKey = "batch.kubernetes.io/job-completion-index";
const failuresKey = "batch.kubernetes.io/job-index-failure-count";

const indexed = (spec: Partial<JobSpec>) =>
  new JobWorld(aJob({ completionMode: "Indexed", completions: 4, parallelism: 4, ...spec }));
const indexOf = ({ metadata }: Pod) => Number(metadata.annotations?.[indexKey]);
const messageOf = (job: Job, type: string) => job.status?.conditions?.find((each) => each.type === type)?.message;

describe("a Job with indexes", () => {
  test("runs one pod for each index and passes the index to it", async () => {
    const world = indexed({});
    await world.start();
    await world.clock.advance(500);
    const pods = world.active().toSorted((a, b) => indexOf(a) - indexOf(b));
    expect(
      pods.map(({ metadata, spec }) => [indexOf({ metadata }), metadata.labels?.[indexKey], spec?.hostname]),
    ).toEqual([0, 1, 2, 3].map((index) => [index, `${index}`, `sum-${index}`]));
    expect(pods[2]?.metadata.name).toMatch(/^sum-2-[a-z0-9]{5}$/);
    expect(pods[2]?.spec?.containers[0]?.env).toEqual([
      { name: "JOB_COMPLETION_INDEX", valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexKey}']` } } },
    ]);
    await world.clock.advance(10_000);
    expect([world.conditions(), world.status()]).toMatchObject([complete, { succeeded: 4, completedIndexes: "0-3" }]);
  });

  test("runs a failed index again and no other index", async () => {
    const world = indexed({});
    world.ending = (pod, nth) => (nth < 4 && indexOf(pod) === 2 ? 1 : 0);
    await world.start();
    await world.clock.advance(15_000);
    expect([world.created, world.conditions()]).toEqual([5, complete]);
    expect(world.status()).toMatchObject({ succeeded: 4, failed: 1, completedIndexes: "0-3" });
  });

  test("keeps one pod for each index, and no pod of an index outside the Job", async () => {
    const world = indexed({});
    world.ending = () => "stays";
    await world.start();
    await world.clock.advance(500);
    const [pod] = world.active() as [Pod];
    const copy = (name: string, index: string) => ({
      ...pod,
      metadata: { ...pod.metadata, name, uid: name, annotations: { [indexKey]: index } },
    });
    for (const [name, index] of [
      ["twice", "0"],
      ["beyond", "9"],
      ["none", "x"],
    ] as const) {
      world.cluster.put("pods", copy(name, index) as Pod);
    }
    await world.clock.advance(1000);
    expect(
      world
        .active()
        .map(indexOf)
        .toSorted((a, b) => a - b),
    ).toEqual([0, 1, 2, 3]);
    expect(world.status().failed).toBeUndefined();
  });

  test("grows and shrinks", async () => {
    const world = indexed({ completions: 3, parallelism: 3 });
    await world.start();
    await world.clock.advance(500);
    world.change({ completions: 5, parallelism: 5 });
    await world.clock.advance(1000);
    expect(world.status()).toMatchObject({ completedIndexes: "0-2", succeeded: 3 });
    world.change({ completions: 2, parallelism: 2 });
    await world.clock.advance(1000);
    expect([world.status(), world.conditions()]).toMatchObject([{ completedIndexes: "0,1", succeeded: 2 }, complete]);
  });

  test("fails an index after its limit, while others continue, and then the Job", async () => {
    const world = indexed({ backoffLimitPerIndex: 1 });
    const failures: (string | undefined)[] = [];
    world.ending = (pod) => {
      if (indexOf(pod) !== 1) return 0;
      failures.push(pod.metadata.annotations?.[failuresKey]);
      return 1;
    };
    await world.start();
    await world.clock.advance(5000);
    expect([world.created, world.status()]).toMatchObject([4, { completedIndexes: "0,2,3", failedIndexes: "" }]);
    await world.clock.advance(60_000);
    expect(failures).toEqual(["0", "1"]);
    expect(world.status()).toMatchObject({ completedIndexes: "0,2,3", failedIndexes: "1", succeeded: 3, failed: 2 });
    expect([world.conditions(), messageOf(world.job(), "Failed")]).toEqual([
      failedBy("FailedIndexes"),
      "Job has failed indexes",
    ]);
  });

  test("fails as soon as too many indexes have failed", async () => {
    const world = indexed({ backoffLimitPerIndex: 0, maxFailedIndexes: 1 });
    world.ending = (pod) => (indexOf(pod) < 2 ? 1 : "stays");
    await world.start();
    await world.clock.advance(5000);
    expect([world.conditions(), world.pods().length]).toEqual([failedBy("MaxFailedIndexesExceeded"), 2]);
  });

  test("succeeds by its policy before all of its indexes succeed, and its last pods do not count", async () => {
    const world = indexed({
      successPolicy: { rules: [{ succeededIndexes: "3" }, { succeededIndexes: "0-1", succeededCount: 1 }] },
    });
    world.ending = (pod) => (indexOf(pod) === 1 ? 0 : "stays");
    await world.start();
    await world.clock.advance(5000);
    expect(world.conditions()).toEqual(["SuccessCriteriaMet: SuccessPolicy", "Complete: SuccessPolicy"]);
    expect(messageOf(world.job(), "Complete")).toBe("Matched rules at index 1");
    expect(world.status()).toMatchObject({ succeeded: 1, completedIndexes: "1", terminating: 0 });
    expect(world.status().failed).toBeUndefined();
  });
});

const disruption = { type: "DisruptionTarget", status: "True" as const };
const policy = (...rules: NonNullable<JobSpec["podFailurePolicy"]>["rules"]) => ({ podFailurePolicy: { rules } });

describe("a failure policy", () => {
  test("fails the Job by an exit code, with the pod in the message", async () => {
    const world = new JobWorld(
      aJob({
        completions: 2,
        parallelism: 2,
        ...policy({ action: "FailJob", onExitCodes: { operator: "In", values: [42] } }),
      }),
    );
    world.ending = (_pod, nth) => (nth === 0 ? 42 : "stays");
    await world.start();
    await world.clock.advance(5000);
    expect(world.conditions()).toEqual(failedBy("PodFailurePolicy"));
    expect(messageOf(world.job(), "Failed")).toMatch(
      /^Container c for pod default\/sum-\w+ failed with exit code 42 matching FailJob rule at index 0$/,
    );
    expect(world.active()).toEqual([]);
  });

  test("ignores pods that a disruption terminated", async () => {
    const world = new JobWorld(
      aJob({ backoffLimit: 0, ...policy({ action: "Ignore", onPodConditions: [disruption] }) }),
    );
    world.ending = (_pod, nth) => (nth === 0 ? "stays" : 0);
    await world.start();
    await world.clock.advance(500);
    const [pod] = world.active() as [Pod];
    world.put(pod, (each) => ({ ...each, status: { ...each.status, phase: "Failed", conditions: [disruption] } }));
    await world.clock.advance(30_000);
    expect([world.conditions(), world.status().failed, world.created]).toEqual([complete, undefined, 2]);
  });

  test("counts failures that no rule matches, and fails an index by a rule", async () => {
    const world = indexed({
      completions: 2,
      parallelism: 2,
      backoffLimitPerIndex: 5,
      ...policy(
        { action: "FailIndex", onExitCodes: { operator: "In", values: [3] } },
        { action: "Count", onExitCodes: { operator: "NotIn", values: [1] } },
      ),
    });
    world.ending = (pod) => (indexOf(pod) === 0 ? 3 : 0);
    await world.start();
    await world.clock.advance(5000);
    expect([world.created, world.conditions(), world.status()]).toMatchObject([
      2,
      failedBy("FailedIndexes"),
      { failedIndexes: "0", completedIndexes: "1", failed: 1 },
    ]);
  });
});

describe("a pod that is being deleted", () => {
  const deletedPod = async (podReplacementPolicy: "Failed" | "TerminatingOrFailed") => {
    const world = new JobWorld(aJob({ podReplacementPolicy }));
    world.ending = () => "stays";
    await world.start();
    await world.clock.advance(500);
    world.kubeletIsDead = true;
    const [pod] = world.active() as [Pod];
    world.put(pod, (each) => ({ ...each, metadata: { ...each.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } }));
    await world.clock.advance(30_000);
    return { world, pod };
  };

  test("is replaced immediately, and counts as failed", async () => {
    const { world } = await deletedPod("TerminatingOrFailed");
    expect([world.created, world.status()]).toMatchObject([2, { failed: 1, terminating: 1, active: 1 }]);
  });

  test("is replaced only once it has ended, if the Job specifies it", async () => {
    const { world, pod } = await deletedPod("Failed");
    expect([world.created, world.status().failed, world.status().terminating]).toEqual([1, undefined, 1]);
    world.end(pod, 1);
    await world.clock.advance(30_000);
    expect([world.created, world.status().failed]).toEqual([2, 1]);
  });
});
