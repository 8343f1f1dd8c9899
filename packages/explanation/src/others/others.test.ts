import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Service,
  VolumeSnapshot,
} from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { explainObject } from "../explain.ts";
import { anEvent, aPod, at, aWorld, codesOf, inState, only } from "../testing/objects.ts";
import type { Objects } from "../world.ts";

describe("a budget", () => {
  const budget = (status: PodDisruptionBudget["status"]): PodDisruptionBudget => ({
    metadata: { name: "web", namespace: "default" },
    spec: { selector: { matchLabels: { app: "web" } }, minAvailable: 2 },
    status,
  });
  const explainBudget = (status: PodDisruptionBudget["status"], objects: Objects = {}) =>
    explainObject("poddisruptionbudgets", budget(status), { world: aWorld(objects) }).reasons;

  test("that allows a disruption is not a reason", () => {
    expect(explainBudget({ disruptionsAllowed: 1 })).toEqual([]);
  });

  test("at its limit names the pods that are not ready", () => {
    const pods = [aPod("a"), aPod("b", { status: inState({ waiting: {} }) })];
    const status = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 2, expectedPods: 3 };
    expect(only(explainBudget(status, { pods }))).toMatchObject({
      because: "The budget web allows no eviction: 1 pod of 3 is healthy, and it requires 2.",
      details: ["not ready: b"],
      awaits: "2 more healthy pods",
    });
  });

  test("that requires all of its pods never allows a disruption", () => {
    const status = { disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2, expectedPods: 2 };
    const reason = only(explainBudget(status));
    expect(reason.awaits).toContain("another setting");
    expect(reason.remedies?.[0]?.command).toBe("kubectl -n default edit pdb web");
  });

  test("that cannot count has the controller's message", () => {
    const failed = {
      type: "DisruptionAllowed",
      status: "False" as const,
      reason: "SyncFailed",
      message: 'found no controllers for pod "a"',
    };
    const conditions = [{ ...failed, lastTransitionTime: at(-1) }];
    expect(only(explainBudget({ disruptionsAllowed: 0, conditions })).because).toContain(
      'found no controllers for pod "a"',
    );
  });
});

describe("a claim", () => {
  const claim = (spec: object = {}, more: object = {}): PersistentVolumeClaim => ({
    metadata: { name: "data", namespace: "default", ...more },
    spec: { resources: { requests: { storage: "2Gi" } }, accessModes: ["ReadWriteOnce"], ...spec },
  });
  const reasonsOf = (object: PersistentVolumeClaim, objects: Objects = {}) =>
    explainObject("persistentvolumeclaims", object, {
      world: aWorld({ storageclasses: [], persistentvolumes: [], ...objects }),
    }).reasons;
  const volume = (name: string, spec: PersistentVolume["spec"], phase = "Available"): PersistentVolume => ({
    metadata: { name },
    spec: { capacity: { storage: "5Gi" }, accessModes: ["ReadWriteOnce"], ...spec },
    status: { phase },
  });

  test("that is bound is not a reason", () => {
    expect(reasonsOf({ ...claim(), status: { phase: "Bound" } })).toEqual([]);
  });

  test("whose class waits for a pod", () => {
    const late = {
      metadata: { name: "late" },
      provisioner: "example.com/disk",
      volumeBindingMode: "WaitForFirstConsumer" as const,
    };
    const found = only(reasonsOf(claim({ storageClassName: "late" }), { storageclasses: [late] }));
    expect(found.because).toContain("WaitForFirstConsumer");
    expect(found.awaits).toBe("the first pod that uses it to be scheduled");
  });

  test("whose provisioner has created no volume", () => {
    const disk = { metadata: { name: "disk" }, provisioner: "example.com/disk" };
    const events = [anEvent(["PersistentVolumeClaim", "data"], "ProvisioningFailed", "no space")];
    const found = only(reasonsOf(claim({ storageClassName: "disk" }), { storageclasses: [disk], events }));
    expect(found.because).toBe(
      "The claim data has no volume: the provisioner example.com/disk has not created a volume yet: no space.",
    );
  });

  test("that no volume fits names each volume's fault", () => {
    const persistentvolumes = [
      volume("small", { capacity: { storage: "1Gi" } }),
      volume("taken", {}, "Bound"),
      volume("classy", { storageClassName: "x" }),
      volume("reading", { accessModes: ["ReadOnlyMany"] }),
    ];
    expect(only(reasonsOf(claim(), { persistentvolumes })).because).toBe(
      "The claim data has no volume: it requests a volume without a class and at least 2Gi, and 4 volumes exist but do not fit " +
        "(small is too small, taken is taken, classy has another class and reading has other access modes).",
    );
    expect(only(reasonsOf(claim())).because).toContain("there are no volumes");
  });

  test("that is lost is reported, and a deleted claim names the pods that protect it", () => {
    expect(only(reasonsOf({ ...claim(), status: { phase: "Lost" } })).because).toContain("has lost its volume");
    const deleted = claim({}, { deletionTimestamp: at(-5), finalizers: ["kubernetes.io/pvc-protection"] });
    const user = aPod("p", {
      spec: { ...aPod("p").spec, volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }] },
    });
    expect(only(reasonsOf(deleted, { pods: [user] }))).toMatchObject({
      code: "FinalizerHolds",
      details: [
        "kubernetes.io/pvc-protection is removed by the controller of claims, once no pod uses the claim",
        "pods that use it: p",
      ],
    });
  });
});

describe("a Service", () => {
  const service = (spec: Service["spec"]): Service => ({ metadata: { name: "web", namespace: "default" }, spec });
  const explainService = (spec: Service["spec"], objects: Objects = {}) =>
    explainObject("services", service(spec), { world: aWorld(objects) });

  test("that leads to a ready pod is healthy", () => {
    expect(explainService({ selector: { app: "web" } }, { pods: [aPod("p")] })).toMatchObject({ reasons: [] });
  });

  test("without matching pods names the pods that nearly match", () => {
    const spec = { selector: { app: "web", tier: "front" } };
    const found = only(
      explainService(spec, { pods: [aPod("p", { metadata: { labels: { app: "web", tier: "back" } } })] }).reasons,
    );
    expect(found).toMatchObject({ code: "NoPodsMatch", details: ["p has tier=back instead"] });
  });

  test("whose pods are not ready has their reasons", () => {
    const waiting = { reason: "CreateContainerConfigError", message: "no such key" };
    const found = explainService({ selector: { app: "web" } }, { pods: [aPod("p", { status: inState({ waiting }) })] });
    expect(codesOf(found)).toEqual(["CannotStart", "NoPodsReady"]);
  });

  test("without a selector, or of type ExternalName", () => {
    expect(codesOf(explainService({}))).toEqual(["NoSelector"]);
    expect(explainService({ type: "ExternalName", externalName: "a.example" })).toMatchObject({
      state: "a name for a.example",
      reasons: [],
    });
  });

  test("whose target port has a name that no container declares", () => {
    const spec = { selector: { app: "web" }, ports: [{ port: 80, targetPort: "http" }] };
    expect(only(explainService(spec, { pods: [aPod("p")] }).reasons).because).toBe(
      "Its target port http is not a port name of any container of its pods.",
    );
  });
});

test("a namespace that is being deleted names its remaining objects", () => {
  const conditions = [
    {
      type: "NamespaceContentRemaining",
      status: "True" as const,
      message: "Some resources are remaining: pods has 1 resource instances",
    },
    { type: "NamespaceDeletionContentFailure", status: "False" as const, message: "fine" },
  ];
  const namespace = {
    metadata: { name: "shop", deletionTimestamp: at(-60) },
    status: { phase: "Terminating" as const, conditions },
  };
  const found = explainObject("namespaces", namespace, { world: aWorld() });
  expect(only(found.reasons)).toMatchObject({
    code: "Terminating",
    details: ["Some resources are remaining: pods has 1 resource instances."],
  });
  expect(explainObject("namespaces", { metadata: { name: "shop" } }, { world: aWorld() }).reasons).toEqual([]);
});

describe("a claim that changes its class", () => {
  const changing = (status: object): PersistentVolumeClaim => ({
    metadata: { name: "data", namespace: "default" },
    spec: { volumeAttributesClassName: "gold" },
    status: { phase: "Bound", ...status },
  });
  const reasonsOf = (status: object) =>
    explainObject("persistentvolumeclaims", changing(status), { world: aWorld({}) }).reasons;

  test("has no reason once it has the class", () => {
    expect(reasonsOf({ currentVolumeAttributesClassName: "gold" })).toEqual([]);
  });

  test.each([
    ["waits for a missing class", { modifyVolumeStatus: { status: "Pending" } }, "the class does not exist"],
    [
      "states the driver's refusal",
      {
        modifyVolumeStatus: { status: "Infeasible", targetVolumeAttributesClassName: "gold" },
        conditions: [{ type: "ModifyVolumeError", status: "True", message: "no such tier" }],
      },
      "the storage driver rejects it",
    ],
    ["is under way", { modifyVolumeStatus: { status: "InProgress" } }, "the storage driver changes it"],
  ])("%s", (_, status, because) => {
    const reason = only(reasonsOf(status));
    expect(reason.code).toBe("VolumeNotModified");
    expect(reason.because).toContain(because);
  });
});

describe("a snapshot", () => {
  const snapshot = (status?: VolumeSnapshot["status"]): VolumeSnapshot => ({
    metadata: { name: "nightly", namespace: "default" },
    spec: { source: { persistentVolumeClaimName: "data" } },
    ...(status && { status }),
  });
  const reasonsOf = (status?: VolumeSnapshot["status"]) =>
    explainObject("volumesnapshots", snapshot(status), { world: aWorld({}) });

  test("that is ready has no reason", () => {
    expect(reasonsOf({ readyToUse: true })).toMatchObject({ state: "ready to use", reasons: [] });
  });

  test("that no driver has processed yet waits for a driver's controller", () => {
    expect(only(reasonsOf().reasons)).toMatchObject({
      code: "SnapshotNotReady",
      because: "The snapshot nightly of the claim data is not ready: no driver has started it yet.",
    });
  });

  test("states its error", () => {
    const error = { message: "cannot find default snapshot class" };
    const { because } = only(reasonsOf({ readyToUse: false, error }).reasons);
    expect(because).toContain("cannot find default snapshot class");
  });
});
