import type { ReplicationController } from "@kintsugi/api";
import { expect, test } from "vitest";
import { aReplicationController } from "../../shared/replicas/testing/replicated-kinds.ts";
import { aPod, ControllerTestCluster } from "../../testing/test-cluster.ts";
import { replicationController } from "./controller.ts";

// The tests of every kind that maintains equal pods are in
// shared/replicas/replicated-parts.test.ts.

async function aCluster(controller: ReplicationController): Promise<ControllerTestCluster> {
  const cluster = new ControllerTestCluster();
  cluster.put("replicationcontrollers", controller);
  cluster.put("pods", aPod("going", { node: "n1", deletedMs: cluster.clock.nowMs() }));
  cluster.put("pods", aPod("by-hand", { node: "n1", labels: { app: "other" } }));
  await cluster.start(replicationController);
  await cluster.clock.advance(1000);
  return cluster;
}

const stored = (cluster: ControllerTestCluster) => cluster.find<ReplicationController>("replicationcontrollers", "web");

test("a new pod names its ReplicationController as its owner, and so does the event about it", async () => {
  const cluster = await aCluster(aReplicationController("web", 1));
  const made = cluster.pods().find(({ metadata }) => metadata.generateName === "web-");
  expect(made?.metadata.ownerReferences).toEqual([
    {
      apiVersion: "v1",
      kind: "ReplicationController",
      name: "web",
      uid: "uid-of-web",
      controller: true,
      blockOwnerDeletion: true,
    },
  ]);
  expect(cluster.events).toMatchObject([
    { about: { apiVersion: "v1", kind: "ReplicationController", name: "web" }, reason: "SuccessfulCreate" },
  ]);
  expect([...cluster.eventSources]).toEqual(["replication-controller"]);
  await cluster.stop();
});

test("the status has the fields of its kind, and is not written again for a field that the kind lacks", async () => {
  const cluster = await aCluster(aReplicationController("web", 2));
  expect(stored(cluster)).toEqual({
    ...aReplicationController("web", 2),
    metadata: expect.objectContaining({ name: "web" }) as object,
    status: { replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 0, availableReplicas: 0, observedGeneration: 1 },
  });
  const owned = cluster.pods().find(({ metadata }) => metadata.generateName === "web-");
  cluster.put("pods", { ...owned!, metadata: { ...owned!.metadata, labels: { app: "web", tier: "front" } } });
  const writes = () => cluster.paths.filter((path) => path.startsWith("PUT")).length;
  const before = writes();
  await cluster.clock.advance(60_000);
  expect(writes()).toBe(before);
  await cluster.stop();
});

test("a ReplicationController without a selector neither adopts nor creates pods", async () => {
  const bare = aReplicationController("web", 3);
  const cluster = await aCluster({ ...bare, spec: { ...bare.spec, selector: {} } });
  expect(cluster.pods().map(({ metadata: { name, ownerReferences } }) => [name, ownerReferences])).toEqual([
    ["by-hand", undefined],
    ["going", undefined],
  ]);
  await cluster.stop();
});
