import type {
  CronJob,
  DaemonSet,
  Deployment,
  HorizontalPodAutoscaler,
  Job,
  Pod,
  ReplicaSet,
  StatefulSet,
} from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { explainObject } from "../explain.ts";
import {
  aNode,
  anEvent,
  aPod,
  aSilentNode,
  at,
  aWorld,
  codesOf,
  inState,
  only,
  unscheduled,
} from "../testing/objects.ts";
import type { Objects } from "../world.ts";

const metadata = (name: string, more: object = {}) => ({
  name,
  namespace: "default",
  uid: `uid-of-${name}`,
  generation: 1,
  ...more,
});
const template = { spec: { containers: [{ name: "c" }] } };
const notReady = inState({ waiting: { reason: "CreateContainerConfigError", message: "no such key" } });

describe("a Deployment", () => {
  const progressing = (reason: string, seconds: number) => [
    {
      type: "Progressing",
      status: "True" as const,
      reason,
      message: "m",
      lastUpdateTime: at(seconds),
      lastTransitionTime: at(seconds),
    },
  ];
  const deployment = (spec: object, status: object): Deployment => ({
    metadata: metadata("web"),
    spec: { replicas: 2, selector: {}, template, ...spec },
    status: { observedGeneration: 1, ...status },
  });
  const owner = { kind: "Deployment", name: "web", uid: "uid-of-web", apiVersion: "apps/v1", controller: true };
  const set: ReplicaSet = {
    metadata: metadata("web-1", { ownerReferences: [owner] }),
    spec: { replicas: 2, selector: {} },
  };
  const explainIt = (object: Deployment, objects: Objects = {}) =>
    explainObject("deployments", object, { world: aWorld({ replicasets: [set], nodes: [aNode("n1")], ...objects }) });

  test("that is complete waits for nothing", () => {
    const done = {
      replicas: 2,
      updatedReplicas: 2,
      availableReplicas: 2,
      conditions: progressing("NewReplicaSetAvailable", -60),
    };
    expect(explainIt(deployment({}, done)).reasons).toEqual([]);
  });

  test("that progresses has its deadline, and the reasons of its pods once", () => {
    const conditions = progressing("ReplicaSetUpdated", -100);
    const pods = ["a", "b"].map((name) => aPod(name, { owner: ["ReplicaSet", "web-1"], status: notReady }));
    const found = explainIt(deployment({}, { replicas: 2, updatedReplicas: 2, conditions }), { pods });
    expect(found.state).toBe("0 of 2 pods ready");
    expect(codesOf(found)).toEqual(["CannotStart", "Progressing"]);
    expect(found.reasons[0]?.details).toEqual(["the same applies to 2 pods: a and b"]);
    expect(found.reasons[1]).toMatchObject({ due: { at: at(500), timer: "rollout deadline" } });
  });

  test("that is stuck can be rolled back", () => {
    const conditions = progressing("ProgressDeadlineExceeded", -700);
    const found = explainIt(deployment({}, { replicas: 3, updatedReplicas: 1, availableReplicas: 2, conditions }));
    expect(only(found.reasons)).toMatchObject({
      code: "RolloutStuck",
      details: ["1 pod of 2 has the present template, 2 are available, 2 old"],
      remedies: [{ command: "kubectl -n default rollout undo deployment/web" }, {}],
    });
  });

  test("that is paused", () => {
    expect(codesOf(explainIt(deployment({ paused: true }, { replicas: 2, updatedReplicas: 0 })))).toEqual(["Paused"]);
  });

  test("whose pods exceed a quota", () => {
    const message =
      'pods "web-1-x" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2';
    const conditions = [{ type: "ReplicaFailure", status: "True" as const, reason: "FailedCreate", message }];
    const [reason] = explainIt(deployment({}, { conditions })).reasons;
    expect(reason).toMatchObject({ code: "PodsRefused", awaits: "free quota" });
    expect(reason?.because).toContain("exceeded quota: small");
  });

  test("whose pods were refused long ago is not refused now", () => {
    const events = (seconds: number) => [anEvent(["ReplicaSet", "web-1"], "FailedCreate", "quota", seconds)];
    const codes = (seconds: number) => codesOf(explainIt(deployment({}, {}), { events: events(seconds) }));
    expect(codes(-60)).toContain("PodsRefused");
    expect(codes(-600)).not.toContain("PodsRefused");
  });

  test("whose pods are new waits for minReadySeconds", () => {
    const pods = [aPod("a", { owner: ["ReplicaSet", "web-1"] })];
    const done = { replicas: 2, updatedReplicas: 2, availableReplicas: 2 };
    expect(only(explainIt(deployment({ minReadySeconds: 80 }, done), { pods }).reasons)).toMatchObject({
      code: "NotYetAvailable",
      due: { at: at(30), timer: "minimum ready time" },
    });
  });
});

test("a ReplicaSet whose controller is down has too few pods", () => {
  const set: ReplicaSet = { metadata: metadata("web"), spec: { replicas: 2, selector: {} } };
  const found = explainObject("replicasets", set, { world: aWorld({ pods: [] }) });
  expect(only(found.reasons).because).toBe("It has 0 pods and should have 2.");
});

describe("a StatefulSet", () => {
  const set = (spec: object = {}, status: object = {}): StatefulSet => ({
    metadata: metadata("db"),
    spec: { replicas: 3, selector: {}, template, serviceName: "db", ...spec },
    status: { replicas: 3, ...status },
  });
  const pod = (name: string, traits: Parameters<typeof aPod>[1] = {}) =>
    aPod(name, { owner: ["StatefulSet", "db"], ...traits });
  const explainIt = (object: StatefulSet, pods: Pod[], nodes = [aNode("n1")]) =>
    explainObject("statefulsets", object, { world: aWorld({ pods, nodes }) });

  test("waits for a pod on a silent node, with every remedy", () => {
    const gone = pod("db-1", { metadata: { deletionTimestamp: at(-30) } });
    const reason = only(explainIt(set(), [pod("db-0"), gone, pod("db-2")], [aSilentNode("n1")]).reasons);
    expect(reason).toMatchObject({ code: "WaitsForSilentNode", about: { name: "db-1" }, since: at(-40) });
    expect(reason.remedies?.map(({ command }) => command)).toEqual([
      "kintsugi node fence n1",
      "kubectl taint node n1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
      "kubectl delete node n1",
      "kubectl delete pod db-1 --grace-period=0 --force -n default",
    ]);
  });

  test("starts its pods in order", () => {
    const found = explainIt(set(), [pod("db-0", { status: notReady })]);
    expect(codesOf(found)).toEqual(["CannotStart", "WaitsForOrdinal"]);
    expect(found.reasons[1]?.because).toBe(
      "db-1 and db-2 are not created yet, because pods start in order and db-0 is not ready.",
    );
    expect(codesOf(explainIt(set({ podManagementPolicy: "Parallel" }), [pod("db-0")]))).toEqual([]);
  });

  test("keeps old pods for its strategy or its partition", () => {
    const labels = (revision: string) => ({ metadata: { labels: { "controller-revision-hash": revision } } });
    const pods = [pod("db-0", labels("old")), pod("db-1", labels("old")), pod("db-2", labels("new"))];
    const found = (updateStrategy: object) =>
      only(explainIt(set({ updateStrategy }, { updateRevision: "new" }), pods).reasons);
    expect(found({ type: "OnDelete" }).because).toContain("replaces a pod only when it is deleted");
    expect(found({ rollingUpdate: { partition: 2 } }).because).toContain("the partition 2 allows updates only of pods");
    expect(found({ rollingUpdate: { partition: 1 } }).code).toBe("Progressing");
  });
});

test("a DaemonSet names the nodes without a pod, and the reasons", () => {
  const spec = { selector: {}, template: { spec: { containers: [], nodeSelector: { disk: "ssd" } } } };
  const set: DaemonSet = {
    metadata: metadata("agent"),
    spec,
    status: { currentNumberScheduled: 1, desiredNumberScheduled: 2, numberReady: 1, numberMisscheduled: 0 },
  };
  const labels = { disk: "ssd" };
  const taints = [{ key: "dedicated", effect: "NoSchedule" as const }];
  const nodes = [
    aNode("n1", { labels }),
    aNode("n2", { labels }),
    aNode("n3"),
    aNode("n4", { labels, taints }),
    aNode("n5", {
      labels,
      unschedulable: true,
      taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }],
    }),
  ];
  const pods = [
    aPod("a", { owner: ["DaemonSet", "agent"] }),
    aPod("b", { owner: ["DaemonSet", "agent"], spec: { nodeName: "n5", containers: [] } }),
  ];
  const found = explainObject("daemonsets", set, { world: aWorld({ nodes, pods }) });
  expect(found.reasons.map(({ code, because, details }) => [code, because, details])).toEqual([
    [
      "NodesWithoutPod",
      "Some nodes are excluded.",
      [
        "n3: the node does not match its nodeSelector or affinity",
        "n4: it does not tolerate the taint dedicated:NoSchedule",
      ],
    ],
    ["TooFewPods", "1 node lacks its pod: n2.", undefined],
  ]);
});

describe("a Job", () => {
  const job = (spec: object = {}, status: object = {}): Job => ({
    metadata: metadata("sum"),
    spec: { template, completions: 3, ...spec },
    status: { startTime: at(-100), ...status },
  });
  const explainIt = (object: Job, pods: Pod[] = []) =>
    explainObject("jobs", object, { world: aWorld({ pods, nodes: [aNode("n1")] }) });
  const ended = (type: string, reason: string) => ({
    conditions: [{ type, status: "True" as const, reason, message: "m", lastTransitionTime: at(-10) }],
  });

  test("that has failed never runs again", () => {
    const found = explainIt(
      job({ ttlSecondsAfterFinished: 60 }, { ...ended("Failed", "BackoffLimitExceeded"), failed: 7 }),
    );
    expect(found.state).toBe("failed (0 of 3 done, 0 active, 7 failed)");
    expect(only(found.reasons)).toMatchObject({
      code: "Failed",
      because: "It failed: BackoffLimitExceeded: m.",
      due: { at: at(50), timer: "time to live" },
    });
  });

  test("that is complete waits only for its removal", () => {
    expect(explainIt(job({}, ended("Complete", ""))).reasons).toEqual([]);
    expect(only(explainIt(job({ ttlSecondsAfterFinished: 60 }, ended("Complete", ""))).reasons).due?.at).toBe(at(50));
  });

  test("that is suspended, or managed by another controller", () => {
    expect(codesOf(explainIt(job({ suspend: true })))).toEqual(["Suspended"]);
    expect(only(explainIt(job({ managedBy: "example.com/queue" })).reasons).because).toContain("example.com/queue");
  });

  test("that waits after failures has the controller's own delay", () => {
    const failed = (name: string, seconds: number) =>
      aPod(name, {
        owner: ["Job", "sum"],
        status: { ...inState({ terminated: { exitCode: 1, finishedAt: at(seconds) } }), phase: "Failed" },
      });
    const found = explainIt(job({ backoffLimit: 6 }, { failed: 2 }), [failed("a", -30), failed("b", -5)]);
    expect(found.reasons[0]).toMatchObject({ code: "JobBackOff", due: { at: at(15), timer: "Job back-off" } });
    expect(found.reasons[0]?.next).toBe(
      "The controller creates another pod; the Job fails after more than 6 failures, and has had 2.",
    );
  });

  test("that is running has its deadline", () => {
    const found = explainIt(job({ activeDeadlineSeconds: 300 }, { active: 1 }), [aPod("a", { owner: ["Job", "sum"] })]);
    expect(only(found.reasons)).toMatchObject({ code: "Running", due: { at: at(200), timer: "Job deadline" } });
  });

  test("whose pod has no node has the pod's reason", () => {
    const pod = aPod("a", {
      owner: ["Job", "sum"],
      spec: { nodeName: "" },
      status: unscheduled("0/1 nodes are available: 1 Insufficient cpu."),
    });
    expect(codesOf(explainIt(job({}, { active: 1 }), [pod]))).toEqual(["Unschedulable", "Running"]);
  });
});

describe("a CronJob", () => {
  const cronJob = (spec: object = {}, status: object = {}): CronJob => ({
    metadata: metadata("sum", { creationTimestamp: at(-7200) }),
    spec: { schedule: "0 * * * *", jobTemplate: {}, concurrencyPolicy: "Allow", ...spec },
    status,
  });
  const explainIt = (object: CronJob, jobs: Job[] = []) =>
    explainObject("cronjobs", object, { world: aWorld({ jobs }) });
  const served = { lastScheduleTime: at(0) };

  test("has its next scheduled time", () => {
    const reason = only(explainIt(cronJob({}, served)).reasons);
    expect(reason).toMatchObject({ code: "NextRun", due: { at: at(3600), timer: "schedule" } });
  });

  test("that is suspended starts nothing", () => {
    expect(codesOf(explainIt(cronJob({ suspend: true })))).toEqual(["Suspended"]);
  });

  test("that forbids a second Job waits for the first", () => {
    const owner = { kind: "CronJob", name: "sum", uid: "uid-of-sum", apiVersion: "batch/v1", controller: true };
    const job: Job = { metadata: metadata("sum-1", { ownerReferences: [owner] }), spec: { template, suspend: true } };
    const found = explainIt(cronJob({ concurrencyPolicy: "Forbid" }, { lastScheduleTime: at(-3600) }), [job]);
    expect(codesOf(found)).toEqual(["Suspended", "MissedRun", "NextRun"]);
    expect(found.reasons[1]?.because).toBe("A Job is due, but sum-1 still runs, and the concurrency policy is Forbid.");
  });

  test("whose time zone is unknown reports it", () => {
    expect(only(explainIt(cronJob({ timeZone: "Moon/Base" })).reasons)).toMatchObject({
      code: "ScheduleUnreadable",
      because: expect.stringContaining("unknown time zone Moon/Base"),
    });
  });

  test("that missed more than a hundred scheduled times", () => {
    const found = explainIt(cronJob({ schedule: "* * * * *" }, { lastScheduleTime: at(-7200) }));
    expect(codesOf(found)).toEqual(["MissedRun", "MissedRun", "NextRun"]);
  });
});

describe("an autoscaler", () => {
  const condition = (type: string, status: "True" | "False", reason: string) => ({
    type,
    status,
    reason,
    message: "m",
    lastTransitionTime: at(-9),
  });
  const autoscaler = (...conditions: ReturnType<typeof condition>[]): HorizontalPodAutoscaler => ({
    metadata: metadata("web"),
    spec: { scaleTargetRef: { kind: "Deployment", name: "web", apiVersion: "apps/v1" }, maxReplicas: 5 },
    status: { desiredReplicas: 2, conditions },
  });
  const able = condition("AbleToScale", "True", "ReadyForNewScale");
  test.each([
    ["without a decision", [], ["MetricsMissing"]],
    ["that has no problem", [able, condition("ScalingActive", "True", "ValidMetricFound")], []],
    ["without metrics", [able, condition("ScalingActive", "False", "FailedGetResourceMetric")], ["MetricsMissing"]],
    ["that is disabled", [able, condition("ScalingActive", "False", "ScalingDisabled")], ["Suspended"]],
    ["at its bound", [able, condition("ScalingLimited", "True", "TooManyReplicas")], ["Limited"]],
    ["that cannot scale", [condition("AbleToScale", "False", "FailedGetScale")], ["MetricsMissing"]],
    ["that is stabilized", [condition("AbleToScale", "True", "ScaleDownStabilized")], ["Limited"]],
  ])("%s", (_, conditions, codes) => {
    const found = explainObject("horizontalpodautoscalers", autoscaler(...conditions), { world: aWorld() });
    expect(codesOf(found)).toEqual(codes);
  });
});
