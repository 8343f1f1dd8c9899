import type { PersistentVolumeClaim } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { bindCompletedAnnotation, selectedNodeAnnotation } from "@kintsugi/rules";
import { type ClaimWorld, planClaim } from "./plan-claim.ts";
import { aClaim, aStorageClass, aVolume, refTo } from "./testing/objects.ts";

const empty: ClaimWorld = { candidates: [], named: undefined, storageClass: undefined, defaultClass: undefined };
const completed = { annotations: { [bindCompletedAnnotation]: "yes" } };
const external = aStorageClass("fast");
const late = aStorageClass("fast", { volumeBindingMode: "WaitForFirstConsumer" });
const fast = { storageClassName: "fast" };

function summary(claim: PersistentVolumeClaim, world: Partial<ClaimWorld>) {
  const { write, events } = planClaim(claim, { ...empty, ...world });
  return [write?.of ?? "nothing", ...events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`)];
}

describe("an unbound claim", () => {
  test.each<[string, PersistentVolumeClaim, Partial<ClaimWorld>, string[]]>([
    ["is bound to a volume that suits", aClaim("c"), { candidates: [aVolume("v")] }, ["volume"]],
    [
      "without a class waits",
      aClaim("c"),
      {},
      ["nothing", "Normal FailedBinding: no persistent volumes available for this claim and no storage class is set"],
    ],
    ["without a class gets the default class", aClaim("c"), { defaultClass: "fast" }, ["claim"]],
    [
      "with an empty class does not get the default class",
      aClaim("c", { storageClassName: "" }),
      { defaultClass: "fast" },
      ["nothing", "Normal FailedBinding: no persistent volumes available for this claim and no storage class is set"],
    ],
    [
      "of a class that does not exist waits",
      aClaim("c", fast),
      {},
      ["nothing", 'Warning ProvisioningFailed: storageclass.storage.k8s.io "fast" not found'],
    ],
    [
      "of a class without a provisioner waits",
      aClaim("c", fast),
      { storageClass: aStorageClass("fast", { provisioner: "kubernetes.io/no-provisioner" }) },
      ["nothing", "Warning ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner"],
    ],
    ["of an external provisioner is annotated for it", aClaim("c", fast), { storageClass: external }, ["claim"]],
    [
      "that is marked waits for the provisioner",
      aClaim("c", fast, {
        annotations: {
          "volume.kubernetes.io/storage-provisioner": "disk.example.com",
          "volume.beta.kubernetes.io/storage-provisioner": "disk.example.com",
        },
      }),
      { storageClass: external },
      [
        "nothing",
        "Normal ExternalProvisioning: Waiting for a volume to be created either by the external provisioner 'disk.example.com' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.",
      ],
    ],
    [
      "of a class with late binding waits for a pod, although a suitable volume exists",
      aClaim("c", fast),
      { storageClass: late, candidates: [aVolume("v", fast)] },
      ["nothing", "Normal WaitForFirstConsumer: waiting for first consumer to be created before binding"],
    ],
    [
      "of a class with late binding is bound to the volume that the scheduler reserved",
      aClaim("c", fast),
      { storageClass: late, candidates: [aVolume("v", { ...fast, claimRef: refTo(aClaim("c"), "") })] },
      ["volume"],
    ],
    [
      "of a class with late binding is provisioned once a node is selected",
      aClaim("c", fast, { annotations: { [selectedNodeAnnotation]: "n1" } }),
      { storageClass: late },
      ["claim"],
    ],
    [
      "that is being deleted is not changed",
      aClaim("c", {}, { deletionTimestamp: "x" }),
      { candidates: [aVolume("v")] },
      ["nothing"],
    ],
    ["that names a volume which does not exist waits", aClaim("c", { volumeName: "v" }), {}, ["nothing"]],
    ["that names a free volume is bound", aClaim("c", { volumeName: "v" }), { named: aVolume("v") }, ["volume"]],
    [
      "that names a volume which does not suit waits",
      aClaim("c", { volumeName: "v" }),
      { named: aVolume("v", { capacity: { storage: "1Mi" } }) },
      ["nothing", 'Warning VolumeMismatch: Cannot bind to requested volume "v": requested PV is too small'],
    ],
    [
      "that names another claim's volume waits",
      aClaim("c", { volumeName: "v" }),
      { named: aVolume("v", { claimRef: refTo(aClaim("other")) }) },
      ["nothing", 'Warning FailedBinding: volume "v" already bound to a different claim.'],
    ],
  ])("%s", (_name, claim, world, expected) => {
    expect(summary(claim, world)).toEqual(expected);
  });
});

describe("a bound claim", () => {
  const claim = aClaim("c", { volumeName: "v" }, completed);

  test.each<[string, PersistentVolumeClaim, Partial<ClaimWorld>, string[]]>([
    [
      "without its reference is lost",
      aClaim("c", {}, completed),
      {},
      [
        "claim status",
        "Warning ClaimLost: Bound claim has lost reference to PersistentVolume. Data on the volume is lost!",
      ],
    ],
    [
      "without its volume is lost",
      claim,
      {},
      ["claim status", "Warning ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!"],
    ],
    [
      "whose volume is bound to another claim is lost",
      claim,
      { named: aVolume("v", { claimRef: refTo(aClaim("other")) }) },
      ["claim status", "Warning ClaimMisbound: Two claims are bound to the same volume, this one is bound incorrectly"],
    ],
    ["is lost once", aClaim("c", { volumeName: "v" }, { ...completed, status: { phase: "Lost" } }), {}, ["nothing"]],
    ["whose volume was unbound is bound again", claim, { named: aVolume("v") }, ["volume"]],
    [
      "is bound in its status",
      claim,
      { named: aVolume("v", { claimRef: refTo(claim) }, { phase: "Bound" }) },
      ["claim status"],
    ],
  ])("%s", (_name, object, world, expected) => {
    expect(summary(object, world)).toEqual(expected);
  });

  test("keeps the size that an expansion set", () => {
    const status = { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "2Gi" } };
    const expanded = aClaim("c", { volumeName: "v" }, { ...completed, status });
    const named = aVolume("v", { claimRef: refTo(expanded) }, { phase: "Bound" });
    expect(summary(expanded, { named })).toEqual(["nothing"]);
  });
});
