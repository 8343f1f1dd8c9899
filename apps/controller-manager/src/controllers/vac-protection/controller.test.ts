import type { PersistentVolume, PersistentVolumeClaim, VolumeAttributesClass } from "@kintsugi/api";
import { expect, test } from "vitest";
import { ControllerTestCluster } from "../../testing/test-cluster.ts";
import { vacProtectionController } from "./controller.ts";

const finalizer = "kubernetes.io/vac-protection";
const going = { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [finalizer, "example.com/x"] };

function aClass(metadata: VolumeAttributesClass["metadata"] = {}): VolumeAttributesClass {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttributesClass",
    metadata: { name: "gold", uid: "uid-of-gold", ...metadata },
    driverName: "d.example.com",
    parameters: { tier: "gold" },
  };
}

function aClaim(spec: object, status: object = {}): PersistentVolumeClaim {
  const metadata = { namespace: "default", name: "data", uid: "uid-of-data" };
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec, status };
}

function aVolume(volumeAttributesClassName: string): PersistentVolume {
  return { apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "v" }, spec: { volumeAttributesClassName } };
}

const finalizersOf = (cluster: ControllerTestCluster) =>
  cluster.find<VolumeAttributesClass>("volumeattributesclasses", "gold", "")?.metadata.finalizers;

test("a class has the finalizer", async () => {
  const cluster = new ControllerTestCluster();
  cluster.put("volumeattributesclasses", aClass());
  await cluster.start(vacProtectionController);
  await cluster.clock.settle();
  expect(finalizersOf(cluster)).toEqual([finalizer]);
});

test("a class that no claim or volume names is removed", async () => {
  const cluster = new ControllerTestCluster();
  cluster.put("volumeattributesclasses", aClass(going));
  await cluster.start(vacProtectionController);
  await cluster.clock.settle();
  expect(finalizersOf(cluster)).toEqual(["example.com/x"]);
});

test.each([
  ["a claim requests", aClaim({ volumeAttributesClassName: "gold" })],
  ["a claim has", aClaim({ volumeAttributesClassName: "silver" }, { currentVolumeAttributesClassName: "gold" })],
  [
    "a claim is changed to",
    aClaim({}, { modifyVolumeStatus: { targetVolumeAttributesClassName: "gold", status: "InProgress" } }),
  ],
])("a class that %s remains until the claim names another class", async (_, claim) => {
  const cluster = new ControllerTestCluster();
  cluster.put("volumeattributesclasses", aClass(going));
  cluster.put("persistentvolumeclaims", claim);
  await cluster.start(vacProtectionController);
  await cluster.clock.settle();
  expect(finalizersOf(cluster)).toEqual(going.finalizers);
  cluster.put("persistentvolumeclaims", aClaim({ volumeAttributesClassName: "silver" }));
  await cluster.clock.settle();
  expect(finalizersOf(cluster)).toEqual(["example.com/x"]);
});

test("a class that a volume has remains, even if its claim no longer exists", async () => {
  const cluster = new ControllerTestCluster();
  cluster.put("volumeattributesclasses", aClass(going));
  cluster.put("persistentvolumes", aVolume("gold"));
  await cluster.start(vacProtectionController);
  await cluster.clock.settle();
  expect(finalizersOf(cluster)).toEqual(going.finalizers);
  cluster.put("persistentvolumes", aVolume("silver"));
  await cluster.clock.settle();
  expect(finalizersOf(cluster)).toEqual(["example.com/x"]);
});
