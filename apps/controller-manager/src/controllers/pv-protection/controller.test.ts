import type { PersistentVolume } from "@kintsugi/api";
import { expect, test } from "vitest";
import { ControllerTestCluster } from "../../testing/test-cluster.ts";
import { pvProtectionController } from "./controller.ts";

const finalizer = "kubernetes.io/pv-protection";
const deletionTimestamp = "2026-01-01T00:00:00Z";

function aVolume(metadata: PersistentVolume["metadata"], phase: string): PersistentVolume {
  const names = { name: "v", uid: "uid-of-v" };
  return { apiVersion: "v1", kind: "PersistentVolume", metadata: { ...names, ...metadata }, status: { phase } };
}

const finalizersOf = (cluster: ControllerTestCluster) =>
  cluster.find<PersistentVolume>("persistentvolumes", "v", "")?.metadata.finalizers;

test.each<[string, PersistentVolume, string[]]>([
  ["is added if it is missing", aVolume({ finalizers: ["example.com/x"] }, "Bound"), ["example.com/x", finalizer]],
  ["remains while a claim is bound", aVolume({ deletionTimestamp, finalizers: [finalizer] }, "Bound"), [finalizer]],
  [
    "is removed with an unbound volume",
    aVolume({ deletionTimestamp, finalizers: [finalizer, "example.com/x"] }, "Released"),
    ["example.com/x"],
  ],
])("the finalizer of a volume %s", async (_name, volume, expected) => {
  const cluster = new ControllerTestCluster();
  cluster.put("persistentvolumes", volume);
  await cluster.start(pvProtectionController);
  await cluster.clock.settle();
  expect(finalizersOf(cluster)).toEqual(expected);
});

test("the finalizer is removed once the claim is removed", async () => {
  const cluster = new ControllerTestCluster();
  const going = { deletionTimestamp, finalizers: [finalizer, "example.com/x"] };
  cluster.put("persistentvolumes", aVolume(going, "Bound"));
  await cluster.start(pvProtectionController);
  cluster.put("persistentvolumes", aVolume(going, "Released"));
  await cluster.clock.settle();
  expect(finalizersOf(cluster)).toEqual(["example.com/x"]);
});
