import { formatTimestamp, type Pod } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import type { PodMetric } from "../metrics/metric-values.ts";
import { aPod } from "../../../testing/test-cluster.ts";
import { usageReplicas, utilizationReplicas } from "./pod-replicas.ts";
import { perPodReplicas, valueReplicas } from "./value-replicas.ts";

const nowMs = 1_767_225_600_000;
const minute = 60_000;
const options = { hpaCpuInitializationPeriodMs: 5 * minute, hpaInitialReadinessDelayMs: 30_000 };
const tolerances = { up: 0.1, down: 0.1 };

interface Traits {
  phase?: "Pending" | "Running" | "Failed";
  ready?: boolean;
  /** The age of the pod's start, and of the last change of its readiness, in ms. */
  startedAgoMs?: number;
  changedAgoMs?: number;
  deleted?: boolean;
  /** Absent: the pod has no metric. */
  millis?: number;
  request?: string | undefined;
}

const old = { startedAgoMs: 60 * minute, changedAgoMs: 59 * minute };

/** Pods named p0, p1…, that request one core each, and their metrics. */
function observe(pods: readonly Traits[]) {
  const metrics = new Map<string, PodMetric>();
  const made = pods.map((traits, index): Pod => {
    const { phase = "Running", ready = true, startedAgoMs, changedAgoMs } = { ...old, ...traits };
    const pod = aPod(`p${index}`, {
      phase,
      ready,
      readySinceMs: nowMs - changedAgoMs,
      ...(traits.deleted === true ? { deletedMs: nowMs } : {}),
    });
    if (traits.millis !== undefined) metrics.set(`p${index}`, { millis: traits.millis, atMs: nowMs, windowMs: 30_000 });
    const { request = "1" } = traits;
    const requests = "request" in traits && traits.request === undefined ? {} : { cpu: request };
    return {
      ...pod,
      spec: { ...pod.spec, containers: [{ name: "main", image: "busybox", resources: { requests } }] },
      status: { ...pod.status, startTime: formatTimestamp(nowMs - startedAgoMs) },
    };
  });
  return { view: { pods: made, nowMs, options }, metrics, resource: "cpu", tolerances };
}

const pods = (count: number, traits: Traits): Traits[] => Array.from({ length: count }, () => traits);

/** Replicas for 50 percent of the requests. */
function replicasOf(traits: readonly Traits[], currentReplicas = traits.length) {
  const answer = utilizationReplicas({ ...observe(traits), currentReplicas }, { percent: 50, container: "" });
  return answer.known ? answer.value.replicas : answer.because;
}

// Each pod should use 500 thousandths of a core.
describe("replicas by utilization", () => {
  test.each<[string, Traits[], number]>([
    ["twice the usage needs twice the pods", pods(3, { millis: 1000 }), 6],
    ["half the usage needs half the pods", pods(4, { millis: 250 }), 2],
    ["a fraction of a pod counts as a whole pod", pods(3, { millis: 600 }), 4],
    ["10 percent more change nothing", pods(3, { millis: 550 }), 3],
    ["10 percent less change nothing", pods(3, { millis: 450 }), 3],
    ["no usage at all needs no pods, and the bounds decide", pods(3, { millis: 0 }), 0],
    ["failed and deleted pods do not count", [...pods(2, { millis: 1000 }), { phase: "Failed" }, { deleted: true }], 4],
    ["a pod that starts counts as idle on the way up", [...pods(2, { millis: 1000 }), { phase: "Pending" }], 4],
    ["but many starting pods keep the number", [...pods(2, { millis: 1000 }), ...pods(2, { phase: "Pending" })], 4],
    ["a pod that starts is not counted on the way down", [...pods(4, { millis: 250 }), { phase: "Pending" }], 2],
    ["a pod without a metric counts as idle on the way up", [...pods(2, { millis: 1000 }), {}], 4],
    ["a pod without a metric counts as busy on the way down", [...pods(4, { millis: 100 }), {}], 3],
    ["missing metrics never reverse the direction", [...pods(1, { millis: 600 }), ...pods(3, {})], 4],
  ])("%s", (_what, traits, expected) => {
    expect(replicasOf(traits)).toBe(expected);
  });

  // One ready pod at twice its target; the other pod's metric counts only if that pod counts as
  // ready.
  const starting = { startedAgoMs: minute, changedAgoMs: 10_000, millis: 0 };
  test.each<[string, Traits, number]>([
    ["that became ready within the window of the metric", { ...starting, ready: true }, 2],
    ["that is not ready in its first minutes", { ...starting, ready: false, changedAgoMs: 50_000 }, 2],
    [
      "that was never ready, minutes after its start",
      { ...old, ready: false, changedAgoMs: 60 * minute - 10_000, millis: 9000 },
      2,
    ],
    [
      "that lost its readiness long after its start counts",
      { ...old, ready: false, changedAgoMs: minute, millis: 9000 },
      20,
    ],
    ["that has been ready for a whole window counts", { ...starting, changedAgoMs: 40_000, millis: 9000 }, 20],
  ])("a pod %s", (_what, other, expected) => {
    expect(replicasOf([{ millis: 1000 }, other])).toBe(expected);
  });

  test.each<[string, Traits[], string]>([
    ["no pods", [], "no pods returned by selector while calculating replica count"],
    ["no metrics", pods(2, {}), "did not receive metrics for targeted pods (pods might be unready)"],
    [
      "only pods that start",
      pods(2, { phase: "Pending", millis: 5 }),
      "did not receive metrics for targeted pods (pods might be unready)",
    ],
    ["no request", [{ millis: 1, request: undefined }], "missing request for cpu in container main of Pod p0"],
    ["requests of zero", [{ millis: 1, request: "0" }], "no metrics returned matched known pods"],
  ])("are unknown with %s", (_what, traits, because) => {
    expect(replicasOf(traits)).toBe(because);
  });

  test("include a single container, sidecars, and the requests of the pod as a whole", () => {
    const observed = observe([{ millis: 1000 }]);
    const [pod] = observed.view.pods as [Pod];
    const main = pod.spec?.containers[0];
    const more = { ...main, name: "more", image: "x", resources: { requests: { cpu: "3" } } };
    const sidecar = { ...more, name: "sidecar", restartPolicy: "Always" as const };
    const percentOf = (spec: object, container = "") => {
      const view = { ...observed.view, pods: [{ ...pod, spec: { ...pod.spec, ...spec } } as Pod] };
      const answer = utilizationReplicas({ ...observed, view, currentReplicas: 1 }, { percent: 50, container });
      return answer.known ? answer.value.percent : answer.because;
    };
    expect(percentOf({ containers: [main, more] })).toBe(25);
    expect(percentOf({ containers: [main, more] }, "more")).toBe(33);
    expect(percentOf({ initContainers: [sidecar] })).toBe(25);
    expect(percentOf({ initContainers: [more] })).toBe(100);
    expect(percentOf({ resources: { requests: { cpu: "2" } } })).toBe(50);
    expect(percentOf({ resources: { requests: { memory: "2" } } })).toBe("missing pod-level request for cpu in Pod p0");
    expect(percentOf({}, "other")).toBe("container other not found in Pod p0");
  });

  test("never exceed an int32", () => {
    const answer = usageReplicas({ ...observe([{ millis: 1e18 }]), currentReplicas: 1 }, 1);
    expect(answer).toMatchObject({ value: { replicas: 2 ** 31 - 1 } });
  });
});

test("replicas by usage consider readiness for processors only", () => {
  const traits: Traits[] = [{ millis: 1000 }, { millis: 1000, ready: false, changedAgoMs: 60 * minute }];
  const question = { ...observe(traits), currentReplicas: 2 };
  expect(usageReplicas(question, 500)).toEqual({ known: true, value: { replicas: 2, averageMillis: 1000 } });
  const ofMemory = { ...question, resource: "memory" };
  expect(usageReplicas(ofMemory, 500)).toEqual({ known: true, value: { replicas: 4, averageMillis: 1000 } });
  expect(usageReplicas(ofMemory, 1050)).toEqual({ known: true, value: { replicas: 2, averageMillis: 1000 } });
});

describe("replicas by a value without a pod", () => {
  const ready = observe(pods(3, { millis: 0 })).view.pods;
  test.each<[number, number, number | string]>([
    [20_000, 3, 6],
    [10_500, 3, 3],
    [5000, 3, 2],
    [25_000, 0, 3],
    [0, 0, 0],
  ])("of %d thousandths with %d pods are %s", (millis, currentReplicas, expected) => {
    const answer = valueReplicas({ millis, targetMillis: 10_000, tolerances }, { pods: ready, currentReplicas });
    expect(answer).toEqual({ known: true, value: expected });
  });

  test("are divided among the pods if each pod has a target", () => {
    const share = (millis: number, statusReplicas: number) =>
      perPodReplicas({ millis, targetMillis: 10_000, tolerances }, statusReplicas);
    expect(share(45_000, 3)).toEqual({ replicas: 5, averageMillis: 15_000 });
    expect(share(31_000, 3)).toEqual({ replicas: 3, averageMillis: 10_334 });
    expect(share(45_000, 0)).toEqual({ replicas: 5, averageMillis: 45_000 });
  });
});
