import type { ResourceClaim, ResourceSlice } from "@kintsugi/api";
import { expect, test } from "vitest";
import { aNode, aPod, openWorld } from "./planted-world.ts";

type World = ReturnType<typeof openWorld>;

/** A claim that was made for the pod, with a device of its node. */
function aClaim(name: string, pod: string, device?: string): ResourceClaim {
  const owner = { apiVersion: "v1", kind: "Pod", name: pod, uid: `uid-of-${pod}`, controller: true };
  const result = { request: "d", driver: "d.example.com", pool: "n1", device: device ?? "" };
  return {
    metadata: {
      name,
      namespace: "default",
      uid: `uid-of-${name}`,
      annotations: { "resource.kubernetes.io/pod-claim-name": "device" },
      ownerReferences: [owner],
    },
    spec: {},
    ...(device === undefined
      ? {}
      : {
          status: {
            allocation: { devices: { results: [result] } },
            reservedFor: [{ resource: "pods", name: pod, uid: owner.uid }],
          },
        }),
  };
}

const putClaim = (world: World, claim: ResourceClaim) =>
  world.put(`resource.k8s.io/resourceclaims/default/${claim.metadata.name}`, claim);

test("device-claims-are-made-once: a second claim for one entry of a pod is detected, and another pod's claim is not", async () => {
  const world = openWorld();
  await putClaim(world, aClaim("p-1", "p"));
  await putClaim(world, aClaim("q-1", "q"));
  expect(world.invariants.violation).toBeUndefined();
  await putClaim(world, aClaim("p-2", "p"));
  expect(world.found()).toEqual([
    "device-claims-are-made-once",
    "default/p-1 and default/p-2 are for one entry of a pod",
  ]);
});

test("devices-are-used-once: a container that starts with a device of another pod's container is detected", async () => {
  const world = openWorld();
  await world.putPod(aPod("p"));
  await putClaim(world, aClaim("p-1", "p", "gpu-0"));
  for (const type of ["created", "started"] as const) world.happens(type, { id: "c-p", pod: "p" });
  await world.putPod(aPod("q"));
  await putClaim(world, { ...aClaim("p-1", "p"), status: {} });
  await putClaim(world, aClaim("q-1", "q", "gpu-0"));
  expect(world.invariants.violation).toBeUndefined();
  for (const type of ["created", "started"] as const) world.happens(type, { id: "c-q", pod: "q" });
  expect(world.found()[0]).toBe("devices-are-used-once");
  expect(world.found()[1]).toMatch(/was started with a device that .* still has/);
});

test("device-claims-are-released: a claim that is still reserved for a pod after 60 quiet seconds since the pod's removal is detected", async () => {
  const world = openWorld();
  const claim = aClaim("shared", "p", "gpu-0");
  // A claim that was made for the pod is removed with it, which is another invariant
  // (dependents-are-removed).
  await putClaim(world, { ...claim, metadata: { ...claim.metadata, ownerReferences: [] } });
  await world.live(50_000);
  expect(world.invariants.violation).toBeUndefined();
  await world.live(30_000);
  expect(world.found()[0]).toBe("device-claims-are-released");
});

const deviceName = "gpu-0";
const putSlice = (world: World, node: string, effect: string) =>
  world.put(`resource.k8s.io/resourceslices/_/of-${node}`, {
    metadata: { name: `of-${node}`, uid: `uid-of-slice-${node}` },
    spec: {
      driver: "d.example.com",
      nodeName: node,
      pool: { name: node, generation: 1, resourceSliceCount: 1 },
      devices: [{ name: deviceName, taints: [{ key: "broken", effect }] }],
    },
  } as ResourceSlice);

test("working-devices-keep-their-pods: a pod that is evicted from a device that was never broken is detected", async () => {
  const world = openWorld();
  await putClaim(world, aClaim("p-1", "p", deviceName));
  await putSlice(world, "n2", "NoExecute");
  await putSlice(world, "n1", "NoSchedule");
  const target = { type: "DisruptionTarget", status: "True" as const, reason: "DeletionByDeviceTaintManager" };
  const evicted = { ...aPod("p"), status: { conditions: [target] } };
  await world.putPod(evicted);
  expect(world.found()[0]).toBe("working-devices-keep-their-pods");
});

test("broken-devices-are-evicted: a pod that keeps a broken device for 60 quiet seconds is detected", async () => {
  const world = openWorld();
  await world.putNode(aNode("n1"));
  await world.putPod(aPod("p", { nodeName: "n1" }));
  await putClaim(world, aClaim("p-1", "p", deviceName));
  await world.live(70_000);
  expect(world.invariants.violation).toBeUndefined();
  await putSlice(world, "n1", "NoExecute");
  await world.live(50_000);
  expect(world.invariants.violation).toBeUndefined();
  await world.live(30_000);
  expect(world.found()[0]).toBe("broken-devices-are-evicted");
});
