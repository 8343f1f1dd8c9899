import type { PersistentVolume, PersistentVolumeClaim } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { ControllerTestCluster } from "../../testing/test-cluster.ts";
import { persistentVolumeBinderController } from "./controller.ts";
import { aClaim, aStorageClass, aVolume } from "./testing/objects.ts";

const claimOf = (cluster: ControllerTestCluster, name = "c") =>
  cluster.find<PersistentVolumeClaim>("persistentvolumeclaims", name);
const volumeOf = (cluster: ControllerTestCluster, name = "v") =>
  cluster.find<PersistentVolume>("persistentvolumes", name, "");

function expectBound(cluster: ControllerTestCluster, claim = "c", volume = "v"): void {
  expect(claimOf(cluster, claim)).toMatchObject({
    spec: { volumeName: volume },
    status: { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } },
  });
  expect(volumeOf(cluster, volume)).toMatchObject({
    spec: { claimRef: { namespace: "default", name: claim, uid: `uid-of-${claim}` } },
    status: { phase: "Bound" },
  });
}

describe("the binder", () => {
  test("binds a claim to a volume that arrives later", async () => {
    const cluster = new ControllerTestCluster();
    await cluster.start(persistentVolumeBinderController);
    cluster.put("persistentvolumeclaims", aClaim("c"));
    await cluster.clock.settle();
    expect(claimOf(cluster)?.status).toEqual({ phase: "Pending" });
    cluster.put("persistentvolumes", aVolume("v", {}, { phase: "Pending" }));
    await cluster.clock.advance(1000);
    expectBound(cluster);
    expect(cluster.reasons()).toContain(
      "FailedBinding: no persistent volumes available for this claim and no storage class is set",
    );
  });

  test("gives each of many claims its own volume", async () => {
    const cluster = new ControllerTestCluster();
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    for (const n of numbers) cluster.put("persistentvolumes", aVolume(`v${n}`));
    for (const n of numbers) cluster.put("persistentvolumeclaims", aClaim(`c${n}`));
    await cluster.start(persistentVolumeBinderController);
    await cluster.clock.advance(5000);
    const taken = numbers.map((n) => claimOf(cluster, `c${n}`)?.spec?.volumeName ?? "");
    expect(new Set(taken).size).toBe(20);
    for (const [n, volume] of taken.entries()) expectBound(cluster, `c${n}`, volume);
  });

  test("releases a volume whose claim was deleted, and does not bind it to the next claim", async () => {
    const cluster = new ControllerTestCluster();
    cluster.put("persistentvolumes", aVolume("v"));
    cluster.put("persistentvolumeclaims", aClaim("c"));
    await cluster.start(persistentVolumeBinderController);
    await cluster.clock.advance(1000);
    expectBound(cluster);
    cluster.remove("persistentvolumeclaims", claimOf(cluster)!);
    cluster.put("persistentvolumeclaims", aClaim("d"));
    await cluster.clock.advance(1000);
    expect(volumeOf(cluster)?.status?.phase).toBe("Released");
    expect(claimOf(cluster, "d")?.status?.phase).toBe("Pending");
  });

  test("gives the newest default class to a claim without a class when the class is created", async () => {
    const cluster = new ControllerTestCluster();
    cluster.put("persistentvolumeclaims", aClaim("c"));
    await cluster.start(persistentVolumeBinderController);
    await cluster.clock.settle();
    const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
    cluster.put("storageclasses", aStorageClass("fast", { metadata: { name: "fast", annotations } }));
    await cluster.clock.advance(1000);
    expect(claimOf(cluster)).toMatchObject({
      metadata: { annotations: { "volume.kubernetes.io/storage-provisioner": "disk.example.com" } },
      spec: { storageClassName: "fast" },
      status: { phase: "Pending" },
    });
  });

  test.each([1, 2, 3, 4])("finishes a binding after a crash at write %i", async (last) => {
    for (const fate of ["hang", "never answer"] as const) {
      const cluster = new ControllerTestCluster();
      cluster.put("persistentvolumes", aVolume("v"));
      cluster.put("persistentvolumeclaims", aClaim("c"));
      let writes = 0;
      cluster.interfere = ({ method }) => (method === "PUT" && ++writes === last ? fate : "pass");
      await cluster.start(persistentVolumeBinderController);
      await cluster.clock.settle();
      expect(writes).toBeGreaterThanOrEqual(last);
      await cluster.kill();
      cluster.interfere = () => "pass";
      await cluster.start(persistentVolumeBinderController);
      await cluster.clock.advance(1000);
      expectBound(cluster);
    }
  });
});
