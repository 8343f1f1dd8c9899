import { type Pod, profiles } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { explainObject } from "../explain.ts";
import type { ExplainedReason } from "../explanation.ts";
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
  tolerated,
  unscheduled,
} from "../testing/objects.ts";
import type { Objects } from "../world.ts";

const explainPod = (pod: Pod, objects: Objects = {}) =>
  explainObject("pods", pod, { world: aWorld({ nodes: [aNode("n1")], ...objects }) });
const reasonsOf = (pod: Pod, objects: Objects = {}): readonly ExplainedReason[] => explainPod(pod, objects).reasons;
const firstOf = (pod: Pod, objects: Objects = {}): ExplainedReason => reasonsOf(pod, objects)[0] as ExplainedReason;

test("a pod that is ready waits for nothing", () => {
  expect(explainPod(aPod("p"))).toEqual({
    apiVersion: "kintsugi.dev/v1alpha1",
    kind: "Explanation",
    subject: { kind: "Pod", namespace: "default", name: "p" },
    state: "Running on node n1, ready",
    observedAt: at(0),
    reasons: [],
    unread: [],
  });
});

describe("a pod without a node", () => {
  const pending = (spec: object, status = unscheduled("")) => aPod("p", { spec: { nodeName: "", ...spec }, status });

  test("waits for the clients that added its scheduling gates", () => {
    const reason = only(reasonsOf(pending({ schedulingGates: [{ name: "example.com/quota" }] })));
    expect(reason).toMatchObject({ code: "SchedulingGated", because: "It has 1 scheduling gate: example.com/quota." });
    expect(reason.remedies?.[0]?.command).toBe(
      `kubectl -n default patch pod/p --type=json '-p=[{"op":"remove","path":"/spec/schedulingGates"}]'`,
    );
  });

  test("has the scheduler's reasons, one line each", () => {
    const message =
      "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.";
    expect(only(reasonsOf(pending({}, unscheduled(message))))).toMatchObject({
      code: "Unschedulable",
      details: ["1 node(s) were unschedulable.", "2 Insufficient cpu."],
      since: at(-30),
    });
  });

  test("waits for a preemption", () => {
    const status = { ...unscheduled(""), nominatedNodeName: "n1" };
    expect(only(reasonsOf(pending({}, status))).code).toBe("MakingRoom");
  });

  test("waits for its scheduler, which may be a custom scheduler", () => {
    const status = { phase: "Pending" as const };
    expect(only(reasonsOf(pending({}, status as never))).remedies).toEqual([
      { does: "See whether the scheduler runs", command: "kintsugi status" },
    ]);
    const other = only(reasonsOf(pending({ schedulerName: "batch" }, status as never)));
    expect(other).toMatchObject({ code: "NotYetScheduled", because: expect.stringContaining("the name batch") });
  });

  const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "data" } }];
  test("has the reason of its claim first", () => {
    const claim = { metadata: { name: "data", namespace: "default" }, spec: { storageClassName: "fast" } };
    const codes = reasonsOf(pending({ volumes }), { persistentvolumeclaims: [claim], storageclasses: [] });
    expect(codes.map(({ code }) => code)).toEqual(["VolumeUnbound", "Unschedulable"]);
    expect(codes[0]?.because).toBe("The claim data has no volume: its StorageClass fast does not exist.");
  });

  describe("with claims of devices", () => {
    const resourceClaims = [{ name: "gpu", resourceClaimName: "gpus" }];
    const exactly = { deviceClassName: "gpu.example.com" };
    const claim = {
      metadata: { name: "gpus", namespace: "default" },
      spec: { devices: { requests: [{ name: "r", exactly }] } },
    };
    const gate = { phase: "Pending" as const };
    const said = (claims: object[], spec: object = { resourceClaims }) =>
      reasonsOf(pending(spec, gate as never), { resourceclaims: claims as never }).map(({ because }) => because);

    test("waits for them before the scheduler has processed it", () => {
      expect(said([])).toEqual(["The pod uses the device claim gpus, which does not exist."]);
      expect(said([], { resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "t" }] })).toEqual([
        "Its device claim has not been created from the template t yet.",
      ]);
      const leaving = { ...claim, metadata: { ...claim.metadata, deletionTimestamp: at(-1) } };
      expect(said([leaving])).toEqual(["The device claim gpus is being deleted."]);
    });

    test("names the claim without devices in addition to the scheduler's reason", () => {
      const reasons = reasonsOf(pending({ resourceClaims }), { resourceclaims: [claim] });
      expect(reasons.map(({ code }) => code)).toEqual(["DevicesUnallocated", "Unschedulable"]);
      expect(reasons[0]?.because).toBe(
        "The claim gpus has no devices yet: it has 1 request, of the class gpu.example.com.",
      );
      const allocated = { ...claim, status: { allocation: {} } };
      const others = reasonsOf(pending({ resourceClaims }), { resourceclaims: [allocated] });
      expect(others.map(({ code }) => code)).toEqual(["Unschedulable"]);
    });
  });

  test("lacks a claim only if claims could be read", () => {
    expect(firstOf(pending({ volumes }), { persistentvolumeclaims: [] }).because).toContain("which does not exist");
    expect(firstOf(pending({ volumes })).code).toBe("Unschedulable");
  });
});

describe("containers", () => {
  const backOff = {
    waiting: { reason: "CrashLoopBackOff", message: "back-off 40s restarting failed container=c pod=p_default(u)" },
  };
  const ended = { terminated: { exitCode: 3, finishedAt: at(-15), reason: "Error" } };

  test("in back-off: the next start, and the delay after it", () => {
    expect(
      only(reasonsOf(aPod("p", { status: inState(backOff, { lastState: ended, restartCount: 4 }) }))),
    ).toMatchObject({
      code: "BackOff",
      because: "Container c keeps ending: it ended with code 3; it was restarted 4 times.",
      awaits: "the end of its back-off of 40s",
      due: { at: at(25), timer: "restart back-off" },
      next: "The kubelet starts it again; if it ends again, the next wait is 1m20s.",
    });
  });

  test("a back-off without a known end has no time", () => {
    const status = inState({ waiting: { reason: "CrashLoopBackOff", message: "later" } });
    expect(only(reasonsOf(aPod("p", { status }))).due).toBeUndefined();
  });

  test.each(["ErrImagePull", "ImagePullBackOff", "InvalidImageName"])("%s: the image and its change", (reason) => {
    const status = { ...inState({ waiting: { reason, message: "no such image" } }), phase: "Pending" as const };
    const found = only(reasonsOf(aPod("p", { status, owner: ["StatefulSet", "web"] })));
    expect(found).toMatchObject({
      code: "ImagePullFailed",
      because: `The image busybox:1 of container c is not available: ${reason}: no such image.`,
    });
    expect(found.remedies?.[0]?.command).toBe("kubectl -n default set image statefulset/web c=IMAGE");
  });

  test("the image of a Deployment's pod is the Deployment's", () => {
    const set = aPod("web-1", { owner: ["Deployment", "web"] });
    const replicaset = { metadata: set.metadata } as never;
    const status = inState({ waiting: { reason: "ErrImagePull" } });
    const found = firstOf(aPod("p", { status, owner: ["ReplicaSet", "web-1"] }), { replicasets: [replicaset] });
    expect(found.remedies?.[0]?.command).toContain("set image deployment/web");
  });

  test("settings that the kubelet cannot create", () => {
    const waiting = { reason: "CreateContainerConfigError", message: 'configmap "settings" not found' };
    expect(only(reasonsOf(aPod("p", { status: inState({ waiting }) }))).because).toBe(
      'Container c cannot be started: CreateContainerConfigError: configmap "settings" not found.',
    );
  });

  const creating = { ...inState({ waiting: { reason: "ContainerCreating" } }), phase: "Pending" as const };
  test.each([
    ["FailedMount", "VolumeNotMounted"],
    ["FailedPrepareDynamicResources", "DevicesNotPrepared"],
    ["FailedCreatePodSandBox", "CannotStart"],
    ["Scheduled", "Starting"],
  ])("being created, after the event %s: %s", (reason, code) => {
    const events = [anEvent(["Pod", "p"], reason, "because of this")];
    expect(only(reasonsOf(aPod("p", { status: creating }), { events })).code).toBe(code);
  });

  test("the running init container blocks the others", () => {
    const init = {
      name: "i",
      ready: false,
      restartCount: 0,
      image: "",
      imageID: "",
      state: { running: { startedAt: at(-9) } },
    };
    const status = { ...creating, initContainerStatuses: [init] };
    expect(only(reasonsOf(aPod("p", { status })))).toMatchObject({ code: "Starting", since: at(-9) });
  });
});

describe("the health of a pod", () => {
  const running = { running: { startedAt: at(-10) } };
  const probed = (probes: object, more: object = {}) =>
    aPod("p", { spec: { containers: [{ name: "c", ...probes }] }, status: inState(running, more) });

  test("a startup probe has time until its threshold", () => {
    const pod = probed({ startupProbe: { periodSeconds: 5, failureThreshold: 6 } }, { started: false });
    expect(only(reasonsOf(pod))).toMatchObject({
      code: "StartupProbe",
      due: { at: at(20), timer: "probe threshold" },
    });
  });

  test("a readiness probe is singleLine", () => {
    const events = [
      anEvent(["Pod", "p"], "Unhealthy", "Liveness probe failed: other"),
      anEvent(["Pod", "p"], "Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503"),
    ];
    expect(only(reasonsOf(probed({ readinessProbe: {} }, { started: true }), { events }))).toMatchObject({
      code: "ReadinessProbe",
      because:
        "The readiness probe of container c does not succeed: Readiness probe failed: HTTP probe failed with statuscode: 503.",
      awaits: "a successful check; the kubelet checks every 10s",
      since: at(-20),
    });
  });

  test("a readiness probe that has not begun has a time", () => {
    const pod = probed({ readinessProbe: { initialDelaySeconds: 30 } }, { started: true });
    expect(only(reasonsOf(pod)).due).toEqual({ at: at(20), timer: "probe threshold" });
  });

  test("a liveness probe counts only while it fails", () => {
    const pod = probed({ livenessProbe: {} }, { started: true, ready: true });
    const events = (seconds: number) => [anEvent(["Pod", "p"], "Unhealthy", "Liveness probe failed: x", seconds)];
    expect(only(reasonsOf(pod, { events: events(-5) })).code).toBe("LivenessProbe");
    expect(reasonsOf(pod, { events: events(-25) })).toEqual([]);
  });

  test("a pod that its kubelet has fenced", () => {
    const fenced = {
      type: "kintsugi.dev/SelfFenced",
      status: "True" as const,
      reason: "NodeCutOff",
      message: "cut off",
    };
    const status = { phase: "Running" as const, conditions: [fenced] };
    expect(only(reasonsOf(aPod("p", { status })))).toMatchObject({
      code: "SelfFenced",
      awaits: "the kubelet to renew its lease",
    });
  });

  test("a readiness gate names its condition", () => {
    const spec = { readinessGates: [{ conditionType: "example.com/lb" }] };
    const pod = aPod("p", { spec: { ...aPod("p").spec, ...spec } });
    expect(only(reasonsOf(pod)).because).toBe("Its readiness gate example.com/lb has not been set yet.");
  });
});

describe("a pod that is being deleted", () => {
  const deleted = (seconds: number, more: Partial<Pod["metadata"]> = {}) => ({
    metadata: { deletionTimestamp: at(seconds), deletionGracePeriodSeconds: 30, ...more },
  });

  test("has its grace period", () => {
    expect(only(reasonsOf(aPod("p", deleted(12))))).toMatchObject({
      code: "Terminating",
      due: { at: at(12), timer: "termination grace period" },
    });
  });

  test("is overdue on a node that answers, with the kubelet's reason", () => {
    const events = [anEvent(["Pod", "p"], "FailedKillPod", "the runtime does not answer")];
    expect(only(reasonsOf(aPod("p", deleted(-60)), { events })).because).toBe(
      "Its time to end is over, but the kubelet of node n1 has not removed it: the runtime does not answer.",
    );
  });

  test("waits for a silent node, and for a confirmation that it is off", () => {
    const nodes = [aSilentNode("n1")];
    const reason = firstOf(aPod("p", { ...deleted(-60), owner: ["StatefulSet", "db"] }), { nodes });
    expect(reason).toMatchObject({ code: "KubeletSilent", since: at(-40) });
    expect(reason.next).toContain("db creates no other pod of this name until then");
    expect(reason.remedies?.map(({ command }) => command)).toEqual([
      "kintsugi node fence n1",
      "kubectl taint node n1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
      "kubectl delete node n1",
      "kubectl delete pod p --grace-period=0 --force -n default",
    ]);
  });

  test("on a removed node waits for the pod garbage collector", () => {
    expect(firstOf(aPod("p", deleted(-60)), { nodes: [] }).because).toContain("no longer exists");
  });

  test.each([
    ["batch.kubernetes.io/job-tracking", "the Job controller, once it has counted the pod", false],
    ["example.com/backup", "the client that added it", true],
  ])("is kept by the finalizer %s", (finalizer, owner, byHand) => {
    const pod = aPod("p", { ...deleted(-60, { finalizers: [finalizer] }), status: { phase: "Succeeded" } });
    const reason = only(reasonsOf(pod));
    expect(reason).toMatchObject({ code: "FinalizerHolds", details: [`${finalizer} is removed by ${owner}`] });
    expect(reason.remedies !== undefined).toBe(byHand);
  });
});

describe("a pod that is removed, or has failed", () => {
  test.each([
    ["DeletionByTaintManager", "does not tolerate a taint of its node"],
    ["EvictionByEvictionAPI", "A client evicts it, as kubectl drain does"],
    ["PreemptionByScheduler", "preempts it for a pod of higher priority"],
    ["DeletionByPodGC", "its node no longer exists or is out of service"],
    ["TerminationByKubelet", "the node lacks a resource or shuts down"],
  ])("%s", (reason, text) => {
    const target = { type: "DisruptionTarget", status: "True" as const, reason, lastTransitionTime: at(-3) };
    const pod = aPod("p", { status: { phase: "Running", conditions: [target] }, owner: ["ReplicaSet", "web-1"] });
    const found = only(reasonsOf(pod));
    expect(found).toMatchObject({ code: "Disrupted", next: "The ReplicaSet web-1 creates another pod." });
    expect(found.because).toContain(text);
  });

  test("a static pod returns with its node", () => {
    const metadata = { annotations: { "kubernetes.io/config.mirror": "x" } };
    const status = { phase: "Failed" as const, reason: "Evicted" };
    expect(only(reasonsOf(aPod("p", { metadata, status, owner: ["Node", "n1"] }))).next).toContain(
      "as long as its manifest exists",
    );
  });

  test("an eviction by the kubelet has its message", () => {
    const status = { phase: "Failed" as const, reason: "Evicted", message: "The node was low on resource: memory." };
    expect(only(reasonsOf(aPod("p", { status })))).toMatchObject({
      code: "Evicted",
      because: "Its kubelet evicted it: The node was low on resource: memory.",
      next: "No controller owns it, so it is not replaced.",
    });
  });

  test("a container that failed is named", () => {
    const status = { ...inState({ terminated: { exitCode: 7, reason: "Error" } }), phase: "Failed" as const };
    expect(only(reasonsOf(aPod("p", { status })))).toMatchObject({
      code: "Failed",
      details: ["container c: exit code 7: Error"],
    });
  });
});

describe("a pod on an unhealthy node", () => {
  test("is evicted at the end of its toleration", () => {
    const pod = aPod("p", { spec: { ...aPod("p").spec, tolerations: [tolerated] }, owner: ["ReplicaSet", "web-1"] });
    const found = explainPod(pod, { nodes: [aSilentNode("n1"), aNode("n2")] });
    expect(codesOf(found)).toEqual(["NodeSilent", "PodLeaves"]);
    // The API's times are whole seconds, so the controller waits a second longer.
    expect(found.reasons[1]).toMatchObject({ due: { at: at(261), timer: "toleration" } });
    expect(found.reasons[1]?.next).toBe("The pod is deleted. The ReplicaSet web-1 creates another pod.");
  });

  test("is protected by its budget if the profile respects budgets", () => {
    const taints = [{ key: "example.com/repair", effect: "NoExecute" as const }];
    const nodes = [aNode("n1", { taints })];
    const spec = { selector: { matchLabels: { app: "web" } }, minAvailable: 1 };
    const status = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
    const poddisruptionbudgets = [{ metadata: { name: "web", namespace: "default" }, spec, status }];
    const codes = (profile: keyof typeof profiles) => {
      const world = { ...aWorld({ nodes, poddisruptionbudgets }), timers: profiles[profile] };
      return codesOf(explainObject("pods", aPod("p"), { world }));
    };
    expect(codes("default")).toEqual(["PodLeaves", "BudgetExhausted"]);
    expect(codes("kubernetes")).toEqual(["PodLeaves"]);
  });

  test("remains if it tolerates the taint forever, and is evicted immediately if it does not tolerate it", () => {
    const { tolerationSeconds: _, ...forever } = tolerated;
    const nodes = [aSilentNode("n1"), aNode("n2")];
    const stays = aPod("p", { spec: { ...aPod("p").spec, tolerations: [forever] } });
    expect(codesOf(explainPod(stays, { nodes }))).toEqual(["NodeSilent", "PodStays"]);
    const leaves = reasonsOf(aPod("p"), { nodes })[1];
    expect(leaves).toMatchObject({ code: "PodLeaves", awaits: "its deletion, which is due" });
    expect(leaves?.due).toBeUndefined();
  });
});
