import { expect } from "vitest";
import { type AreaTest, describeArea } from "./area.ts";
import { type ConformanceClient, eventuallyInTime, expectStatus, type Json } from "./conformance-cluster.ts";

/* oxlint-disable vitest/no-standalone-expect -- describeArea makes tests of these functions. */

// Jobs by completion index, failure policy and success policy. The cluster's clock is steered, so
// that waiting between two pods of an index does not take real time.

const indexAnnotation = "batch.kubernetes.io/job-completion-index";

/** The scripts of a pod's only container. Upstream's "notTerminate" sleeps through SIGTERM, too. */
const behaviours = {
  succeed: { "kintsugi.dev/script": "sleep 1; exit 0" },
  fail: { "kintsugi.dev/script": "sleep 1; exit 1" },
  notTerminate: { "kintsugi.dev/script": "sleep 1000h" },
} as const;

interface RunningJob {
  readonly job: string;
  readonly pods: string;
  readonly namespace: string;
}

async function runJob(api: ConformanceClient, behaviour: keyof typeof behaviours, spec: Json): Promise<RunningJob> {
  const namespace = await api.namespace("job");
  const template = {
    metadata: { annotations: behaviours[behaviour] },
    spec: { restartPolicy: "Never", containers: [{ name: "c", image: "example.com/worker" }] },
  };
  const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;
  const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "e2e" }, spec: { ...spec, template } };
  await expectStatus(201, api.post(jobs, job));
  return { job: `${jobs}/e2e`, pods: `/api/v1/namespaces/${namespace}/pods`, namespace };
}

/** Ends the container of a pod. */
async function end(api: ConformanceClient, { metadata, spec }: Json, exitCode: number): Promise<void> {
  const pod = `${metadata.namespace}/${metadata.name}`;
  const exit = { fault: "container-exits", target: spec.nodeName, with: { pod, exitCode } };
  const body = { bytes: Buffer.from(JSON.stringify(exit)), contentType: "application/json" };
  await expectStatus(201, api.call("POST", "/apis/kintsugi.dev/v1alpha1/faults", body));
}

const indexOf = ({ metadata }: Json) => Number(metadata.annotations[indexAnnotation]);

/** Ends each pod of an odd index with code 1, and all other pods with code 0. */
async function failOddSucceedEven(api: ConformanceClient, { pods }: RunningJob): Promise<void> {
  const { items = [] } = await expectStatus(200, api.get(pods));
  const running = items.filter(
    ({ metadata, status }: Json) => status?.phase === "Running" && !metadata.deletionTimestamp,
  );
  for (const pod of running) await end(api, pod, indexOf(pod) % 2);
}

const conditionOf = ({ status = {} }: Json, type: string): Json =>
  status.conditions?.find((each: Json) => each.type === type && each.status === "True");

/** Waits until the Job has ended with a condition, and returns the Job. */
function ended(api: ConformanceClient, { job }: RunningJob, type: string, meanwhile?: () => Promise<void>) {
  return eventuallyInTime(
    api,
    async () => {
      await meanwhile?.();
      return expectStatus(200, api.get(job));
    },
    (found) => conditionOf(found, type) !== undefined,
  );
}

/** The Job met its success policy, has completed for that reason, and has no running pods. */
function expectSuccessByPolicy(job: Json): void {
  for (const type of ["SuccessCriteriaMet", "Complete"]) expect(conditionOf(job, type).reason).toBe("SuccessPolicy");
  const { active = 0, ready = 0, terminating = 0 } = job.status;
  expect({ active, ready, terminating }).toEqual({ active: 0, ready: 0, terminating: 0 });
}

const indexed = { completionMode: "Indexed" };
const onExitCode1 = (action: string) => ({
  podFailurePolicy: { rules: [{ action, onExitCodes: { operator: "In", values: [1] } }] },
});
const test = (codename: string, check: AreaTest["check"]): AreaTest => ({ tier: "C", codename, check });

const tests: AreaTest[] = [
  test("[sig-apps] Job should allow to use the pod failure policy on exit code to fail the job early [Conformance]", async (api) => {
    const spec = { parallelism: 2, completions: 4, backoffLimit: 6, ...onExitCode1("FailJob") };
    const running = await runJob(api, "fail", spec);
    const failed = await ended(api, running, "Failed");
    expect(conditionOf(failed, "Failed").reason).toBe("PodFailurePolicy");
  }),
  test("[sig-apps] Job should allow to use a pod failure policy to ignore failure matching on DisruptionTarget condition [Conformance]", async (api) => {
    const rule = { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] };
    const spec = { parallelism: 3, completions: 3, backoffLimit: 2, ...indexed, podFailurePolicy: { rules: [rule] } };
    const running = await runJob(api, "notTerminate", spec);
    await eventuallyInTime(
      api,
      () => expectStatus(200, api.get(running.job)),
      ({ status }) => status?.ready === 3,
    );
    const evicted: string[] = [];
    for (const { metadata } of (await expectStatus(200, api.get(running.pods))).items) {
      evicted.push(metadata.uid);
      const named = { name: metadata.name, namespace: running.namespace };
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: named };
      await expectStatus(201, api.post(`${running.pods}/${metadata.name}/eviction`, eviction));
    }
    expect(evicted).toHaveLength(3);
    const left = await eventuallyInTime(
      api,
      () => expectStatus(200, api.get(running.pods)),
      ({ items = [] }) =>
        items.length === 3 &&
        items.every(({ metadata, status }: Json) => !evicted.includes(metadata.uid) && status?.phase === "Running"),
    );
    for (const pod of left.items) await end(api, pod, 0);
    const complete = await ended(api, running, "Complete");
    expect(conditionOf(complete, "Complete").reason).toBe("CompletionsReached");
    expect([complete.status.succeeded, complete.status.failed ?? 0]).toEqual([3, 0]);
  }),
  test("[sig-apps] Job should create pods for an Indexed job with completion indexes and specified hostname [Conformance]", async (api) => {
    const running = await runJob(api, "succeed", { parallelism: 2, completions: 4, ...indexed });
    const complete = await ended(api, running, "Complete");
    expect(conditionOf(complete, "Complete").reason).toBe("CompletionsReached");
    const pods = (await expectStatus(200, api.get(running.pods))).items.filter(
      ({ status }: Json) => status.phase === "Succeeded",
    );
    expect(pods.map(indexOf).toSorted()).toEqual([0, 1, 2, 3]);
    for (const pod of pods) expect(pod.spec.hostname).toBe(`e2e-${indexOf(pod)}`);
    const [{ spec }] = pods;
    expect(spec.containers[0].env.map(({ name }: Json) => name)).toContain("JOB_COMPLETION_INDEX");
  }),
  test("[sig-apps] Job should execute all indexes despite some failing when using backoffLimitPerIndex [Conformance]", async (api) => {
    const spec = { parallelism: 2, completions: 4, backoffLimitPerIndex: 1, ...indexed };
    const running = await runJob(api, "notTerminate", spec);
    const failed = await ended(api, running, "Failed", () => failOddSucceedEven(api, running));
    expect(failed.status).toMatchObject({ failedIndexes: "1,3", completedIndexes: "0,2", failed: 4, succeeded: 2 });
  }),
  test("[sig-apps] Job should mark indexes as failed when the FailIndex action is matched in podFailurePolicy [Conformance]", async (api) => {
    const limits = { parallelism: 2, completions: 2, backoffLimitPerIndex: 1 };
    const running = await runJob(api, "notTerminate", { ...limits, ...indexed, ...onExitCode1("FailIndex") });
    const failed = await ended(api, running, "Failed", () => failOddSucceedEven(api, running));
    expect(failed.status).toMatchObject({ failedIndexes: "1", completedIndexes: "0", failed: 1, succeeded: 1 });
  }),
  test("[sig-apps] Job should terminate job execution when the number of failed indexes exceeds maxFailedIndexes [Conformance]", async (api) => {
    const limits = { parallelism: 1, completions: 4, backoffLimitPerIndex: 0, maxFailedIndexes: 0 };
    const running = await runJob(api, "fail", { ...limits, ...indexed });
    const failed = await ended(api, running, "Failed");
    expect(conditionOf(failed, "Failed").reason).toBe("MaxFailedIndexesExceeded");
    expect(failed.status).toMatchObject({ failedIndexes: "0", failed: 1 });
  }),
  test("[sig-apps] Job with successPolicy should succeeded when all indexes succeeded [Conformance]", async (api) => {
    const successPolicy = { rules: [{ succeededCount: 2 }] };
    const running = await runJob(api, "succeed", { parallelism: 2, completions: 2, ...indexed, successPolicy });
    const complete = await ended(api, running, "Complete");
    expectSuccessByPolicy(complete);
    expect([complete.status.succeeded, complete.status.failed ?? 0]).toEqual([2, 0]);
  }),
  ...(
    [
      [
        "[sig-apps] Job with successPolicy succeededIndexes rule should succeeded even when some indexes remain pending [Conformance]",
        { succeededIndexes: "0" },
      ],
      [
        "[sig-apps] Job with successPolicy succeededCount rule should succeeded even when some indexes remain pending [Conformance]",
        { succeededCount: 1 },
      ],
    ] as const
  ).map(([codename, rule]) =>
    test(codename, async (api) => {
      const limits = { parallelism: 2, completions: 5, backoffLimit: 2 ** 31 - 1 };
      const running = await runJob(api, "notTerminate", { ...limits, ...indexed, successPolicy: { rules: [rule] } });
      const complete = await ended(api, running, "Complete", () => failOddSucceedEven(api, running));
      expectSuccessByPolicy(complete);
      expect(complete.status.completedIndexes).toBe("0");
    }),
  ),
];

describeArea(tests, "--clock=steered");
