import type { PersistentVolumeClaim, Pod } from "@kintsugi/api";
import { expect, test } from "vitest";
import { aPod, ControllerTestCluster } from "../../testing/test-cluster.ts";
import { ephemeralVolumeController } from "./controller.ts";

const template = {
  metadata: { labels: { tier: "cache" }, annotations: { note: "scratch" } },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};

function aUser(metadata: Partial<Pod["metadata"]> = {}): Pod {
  const pod = aPod("web");
  const volumes = [
    { name: "scratch", ephemeral: { volumeClaimTemplate: template } },
    { name: "plain", emptyDir: {} },
  ];
  return { ...pod, metadata: { ...pod.metadata, ...metadata }, spec: { containers: [], ...pod.spec, volumes } };
}

async function startWith(pod: Pod, claim?: PersistentVolumeClaim): Promise<ControllerTestCluster> {
  const cluster = new ControllerTestCluster();
  cluster.put("pods", pod);
  if (claim !== undefined) cluster.put("persistentvolumeclaims", claim);
  await cluster.start(ephemeralVolumeController);
  await cluster.clock.settle();
  return cluster;
}

const claimOf = (cluster: ControllerTestCluster) =>
  cluster.find<PersistentVolumeClaim>("persistentvolumeclaims", "web-scratch");

function foreignClaim(): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "web-scratch", namespace: "default", uid: "foreign" },
    spec: {},
  };
}

test("a pod gets the claim of its ephemeral volume, created from the template and owned by the pod", async () => {
  const pod = aUser();
  const claim = claimOf(await startWith(pod));
  expect(claim?.metadata).toMatchObject(template.metadata);
  expect(claim?.spec).toMatchObject(template.spec);
  expect(claim?.metadata.ownerReferences).toEqual([
    {
      apiVersion: "v1",
      kind: "Pod",
      name: "web",
      uid: pod.metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    },
  ]);
});

test("a pod that is being deleted gets no claim", async () => {
  expect(claimOf(await startWith(aUser({ deletionTimestamp: "2026-01-01T00:00:00Z" })))).toBeUndefined();
});

test("a claim of that name with another owner is left unchanged and is reported by an event until it no longer exists", async () => {
  const cluster = await startWith(aUser(), foreignClaim());
  expect(claimOf(cluster)?.metadata.uid).toBe("foreign");
  expect(cluster.events).toContainEqual(
    expect.objectContaining({
      type: "Warning",
      reason: "FailedBinding",
      message:
        "ephemeral volume scratch: PVC default/web-scratch was not created for pod default/web (pod is not owner)",
    }),
  );
  cluster.remove("persistentvolumeclaims", foreignClaim());
  await cluster.clock.advance(1_000);
  expect(claimOf(cluster)?.metadata.ownerReferences?.[0]?.name).toBe("web");
});
