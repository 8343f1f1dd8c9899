import { findCondition, formatTimestamp, type Pod, type StatefulSet } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { crashVerdicts, failAtWrite } from "../../testing/fail-at-write.ts";
import { aPod } from "../../testing/test-cluster.ts";
import { statefulSetController } from "./controller.ts";
import { waitingForNodeCondition } from "@kintsugi/rules";
import { aStatefulSet, imageTemplate, StatefulWorld } from "./testing/stateful-world.ts";

const volumeClaimTemplates = [{ metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"] } }];

async function started(world: StatefulWorld): Promise<StatefulWorld> {
  await world.cluster.start(statefulSetController);
  await world.cluster.clock.advance(10_000);
  return world;
}

describe("a stateful set controller", () => {
  test("starts pods in order, each with its claim, and records it", async () => {
    const world = await started(new StatefulWorld({ volumeClaimTemplates }));
    expect([world.created, world.broken]).toEqual([["db-0", "db-1", "db-2"], []]);
    expect(world.claims().map(({ metadata }) => metadata.name)).toEqual(["data-db-0", "data-db-1", "data-db-2"]);
    expect(world.cluster.reasons().slice(0, 2)).toEqual([
      "SuccessfulCreate: create Claim data-db-0 Pod db-0 in StatefulSet db success",
      "SuccessfulCreate: create Pod db-0 in StatefulSet db successful",
    ]);
    const [revision] = world.revisions();
    expect(world.set.status).toEqual({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      currentRevision: revision?.metadata.name,
      updateRevision: revision?.metadata.name,
      collisionCount: 0,
    });
  });

  test("updates from the highest ordinal down to the partition, and then the rest", async () => {
    const world = await started(new StatefulWorld());
    const [first] = world.revisions();
    const partitioned = (partition: number) => ({ type: "RollingUpdate" as const, rollingUpdate: { partition } });
    world.change({ template: imageTemplate("busybox:2"), updateStrategy: partitioned(2) });
    await world.cluster.clock.advance(10_000);
    expect(world.pods()).toEqual(["db-0 busybox:1", "db-1 busybox:1", "db-2 busybox:2"]);
    expect(world.set.status).toMatchObject({
      currentRevision: first?.metadata.name,
      currentReplicas: 2,
      updatedReplicas: 1,
    });
    world.evict("db-0");
    await world.cluster.clock.advance(10_000);
    expect(world.pods()[0]).toBe("db-0 busybox:1");
    world.change({ updateStrategy: partitioned(0) });
    await world.cluster.clock.advance(10_000);
    expect(world.pods()).toEqual(["db-0 busybox:2", "db-1 busybox:2", "db-2 busybox:2"]);
    expect([world.created.slice(3), world.mostMissing]).toEqual([["db-2", "db-0", "db-1", "db-0"], 1]);
    const { currentRevision, updateRevision } = world.set.status ?? {};
    expect([currentRevision, currentRevision === first?.metadata.name]).toEqual([updateRevision, false]);
  });

  test("rolls back to an old revision under a new number", async () => {
    const world = await started(new StatefulWorld());
    for (const image of ["busybox:2", "busybox:1"]) {
      world.change({ template: imageTemplate(image) });
      await world.cluster.clock.advance(10_000);
    }
    expect(world.pods()).toEqual(["db-0 busybox:1", "db-1 busybox:1", "db-2 busybox:1"]);
    expect(
      world
        .revisions()
        .map(({ revision }) => revision)
        .toSorted((a, b) => a - b),
    ).toEqual([2, 3]);
  });

  test("scales down from the highest ordinal and sets the removed pod as the claim's owner", async () => {
    const persistentVolumeClaimRetentionPolicy = { whenScaled: "Delete", whenDeleted: "Retain" } as const;
    const world = await started(new StatefulWorld({ volumeClaimTemplates, persistentVolumeClaimRetentionPolicy }));
    const { uid } = world.pod("db-2").metadata;
    world.change({ replicas: 1 });
    await world.cluster.clock.advance(10_000);
    expect(world.pods()).toEqual(["db-0 busybox:1"]);
    const owners = world.claims().map(({ metadata }) => metadata.ownerReferences?.map((owner) => owner.name) ?? []);
    expect(owners).toEqual([[], ["db-1"], ["db-2"]]);
    expect(world.claims()[2]?.metadata.ownerReferences?.[0]?.uid).toBe(uid);
    world.change({ replicas: 3 });
    await world.cluster.clock.advance(10_000);
    expect(world.pods()).toHaveLength(1);
    for (const claim of world.claims().slice(1)) world.cluster.remove("persistentvolumeclaims", claim);
    await world.cluster.clock.advance(20_000);
    expect([world.pods().length, world.claims().length]).toEqual([3, 3]);
  });

  test("recreates a failed pod", async () => {
    const world = await started(new StatefulWorld());
    world.cluster.put("pods", { ...world.pod("db-1"), status: { phase: "Failed" } } as Pod);
    await world.cluster.clock.advance(10_000);
    expect([world.pods().length, world.created.at(-1)]).toEqual([3, "db-1"]);
    expect(world.pod("db-1").status?.phase).toBe("Running");
  });

  test("adopts a pod of its names, releases other pods, and does not change a pod of another owner", async () => {
    const world = new StatefulWorld();
    const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "x", uid: "x", controller: true };
    const foreign = aPod("db-1", { node: "n", labels: { app: "db" } });
    foreign.metadata.ownerReferences = [owner];
    world.cluster.put("pods", foreign);
    world.cluster.put("pods", aPod("db-0", { node: "n", labels: { app: "db" } }));
    world.cluster.put("pods", aPod("db-x", { node: "n", labels: { app: "db" } }));
    await started(world);
    expect(world.pod("db-0").metadata.ownerReferences?.[0]?.name).toBe("db");
    expect(world.pod("db-0").metadata.labels?.["statefulset.kubernetes.io/pod-name"]).toBe("db-0");
    expect(world.pod("db-x").metadata.ownerReferences).toBeUndefined();
    expect(world.pod("db-1")).toMatchObject({ metadata: { uid: foreign.metadata.uid, ownerReferences: [owner] } });
    expect(world.pods()).not.toContain("db-2 busybox:1");
  });

  test("does not change a settled set", async () => {
    const world = await started(new StatefulWorld({ volumeClaimTemplates }));
    const before = world.cluster.api.log.revision;
    await world.cluster.clock.advance(3_600_000);
    expect(world.cluster.api.log.revision).toBe(before);
  });

  test("reports why a pod cannot be created, and creates it once it can be", async () => {
    const world = new StatefulWorld();
    world.cluster.interfere = ({ method, path }) => (method === "POST" && path.endsWith("/pods") ? "refuse" : "pass");
    await started(world);
    expect(world.cluster.reasons()[0]).toMatch(/^FailedCreate: create Pod db-0 in StatefulSet db failed error: /);
    world.cluster.interfere = () => "pass";
    await world.cluster.clock.advance(120_000);
    expect(world.pods()).toHaveLength(3);
  });
});

describe("a pod on a node that does not answer", () => {
  async function partitioned(): Promise<StatefulWorld> {
    const world = await started(new StatefulWorld());
    world.silence("node-1");
    world.evict("db-1");
    await world.cluster.clock.advance(3_600_000);
    return world;
  }
  const warnings = (world: StatefulWorld) => world.cluster.events.filter(({ reason }) => reason === "WaitingForNode");

  test("is not replaced, and the status and a single event state what the set waits for", async () => {
    const world = await partitioned();
    expect(world.created).toEqual(["db-0", "db-1", "db-2"]);
    const message = findCondition(world.set.status?.conditions, waitingForNodeCondition)?.message;
    expect(message).toMatch(/^Pod db-1 is not replaced: it may still run on node node-1, which is not ready since 20/);
    for (const way of [
      "kubectl delete node node-1",
      "node.kubernetes.io/out-of-service",
      "delete pod db-1 --grace-period=0",
    ]) {
      expect(message).toContain(way);
    }
    expect(warnings(world)).toMatchObject([{ type: "Warning", message }]);
  });

  test("is reported once, even by a controller that was restarted", async () => {
    const world = await partitioned();
    await world.cluster.kill();
    await started(world);
    expect(warnings(world)).toHaveLength(1);
  });

  test("is replaced as soon as it no longer exists, and the wait is cleared", async () => {
    const world = await partitioned();
    world.silent.delete("node-1");
    world.cluster.remove("pods", world.pod("db-1"));
    await world.cluster.clock.advance(10_000);
    expect([world.created.at(-1), world.pods().length]).toEqual(["db-1", 3]);
    expect(world.set.status?.conditions).toBeUndefined();
  });

  test("stops an ordered set, and does not stop a parallel set next to it", async () => {
    const world = await started(new StatefulWorld({ podManagementPolicy: "Parallel" }));
    world.silence("node-1");
    world.evict("db-1");
    world.evict("db-2");
    await world.cluster.clock.advance(10_000);
    expect(world.created.slice(3)).toEqual(["db-2"]);
  });
});

describe("complete in the end, and in order at all times", () => {
  test.each(crashVerdicts)("when the process is killed around write k, for every k (%s)", async (verdict) => {
    let kills = 0;
    for (let k = 1; k <= 24; k++) {
      const world = new StatefulWorld({ volumeClaimTemplates });
      const fault = failAtWrite(k, verdict);
      world.cluster.interfere = fault.interfere;
      await world.cluster.start(statefulSetController);
      await world.cluster.clock.advance(100);
      world.change({ template: imageTemplate("busybox:2") });
      await world.cluster.clock.advance(100);
      if (fault.reached()) kills++;
      await world.cluster.kill();
      world.cluster.interfere = () => "pass";
      await world.cluster.clock.advance(15_000);
      await world.cluster.start(statefulSetController);
      await world.cluster.clock.advance(60_000);
      expect({ k, pods: world.pods(), broken: world.broken }).toEqual({
        k,
        pods: ["db-0 busybox:2", "db-1 busybox:2", "db-2 busybox:2"],
        broken: [],
      });
      expect({ k, missing: world.mostMissing, claims: world.claims().length }).toEqual({
        k,
        missing: world.mostMissing && 1,
        claims: 3,
      });
      expect(world.revisions().length).toBeLessThanOrEqual(2);
    }
    expect(kills).toBeGreaterThanOrEqual(20);
  });

  test("when two processes act as the leader", async () => {
    const world = new StatefulWorld({ volumeClaimTemplates });
    await world.cluster.start(statefulSetController, statefulSetController);
    await world.cluster.clock.advance(60_000);
    world.change({ template: imageTemplate("busybox:2") });
    await world.cluster.clock.advance(60_000);
    expect(world.pods()).toEqual(["db-0 busybox:2", "db-1 busybox:2", "db-2 busybox:2"]);
    expect([world.broken, world.mostMissing]).toEqual([[], 1]);
  });

  test("when the watch of pods is silent for an hour", async () => {
    const world = await started(new StatefulWorld());
    world.cluster.interfere = ({ path }) => (path.includes("/pods") && path.includes("watch=true") ? "hang" : "pass");
    world.cluster.api.endWatches();
    await world.cluster.clock.advance(2000);
    world.change({ template: imageTemplate("busybox:2") });
    await world.cluster.clock.advance(3_600_000);
    world.cluster.interfere = () => "pass";
    await world.cluster.clock.advance(3_600_000);
    expect(world.pods()).toEqual(["db-0 busybox:2", "db-1 busybox:2", "db-2 busybox:2"]);
    expect([world.broken, world.mostMissing]).toEqual([[], 1]);
  });
});

test("a poisoned set does not delay other sets", async () => {
  const world = new StatefulWorld();
  world.put({ ...aStatefulSet("poison"), spec: null } as unknown as StatefulSet);
  const other = aStatefulSet("runaway");
  world.put({ ...other, spec: { ...other.spec, selector: { matchLabels: { app: "other" } } } } as StatefulSet);
  const going = { ...aStatefulSet("going").metadata, deletionTimestamp: formatTimestamp(0) };
  world.put({ ...aStatefulSet("going"), metadata: going });
  await started(world);
  expect(world.pods()).toEqual(["db-0 busybox:1", "db-1 busybox:1", "db-2 busybox:1"]);
});
