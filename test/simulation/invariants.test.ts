import type { Node, Pod, ReplicaSet } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/testing";
import { MemoryStore } from "@kintsugi/store/testing";
import { Invariants } from "@kintsugi/simulation";
import { describe, expect, test } from "vitest";

const minute = 60_000;

describe("what a simulation watches for is found when it is planted", () => {
  test("a life in which nothing is wrong has no violation, and its checks are counted", async () => {
    const world = openWorld();
    await world.put("core/nodes/_/n1", aNode("n1", "2"));
    await world.put("apps/replicasets/default/web", aSet(1));
    await world.put("core/pods/default/a", aPod("a", { cpu: "1", owned: true }));
    await world.put("core/pods/default/a", aPod("a", { cpu: "1", owned: true, nodeName: "n1", restarts: 1 }));
    expect(world.invariants.violation).toBeUndefined();
    expect(world.invariants.checks).toBeGreaterThan(8);
  });

  test("S9: a pod that moves to another node", async () => {
    const world = openWorld();
    await world.put("core/nodes/_/n1", aNode("n1", "2"));
    await world.put("core/nodes/_/n2", aNode("n2", "2"));
    await world.put("core/pods/default/a", aPod("a", { nodeName: "n1" }));
    await world.put("core/pods/default/a", aPod("a", { nodeName: "n2" }));
    expect(world.found()).toEqual(["S9", 'pod default/a moved from n1 to "n2"']);
  });

  test("S10: pods that ask for more than their node has, by cpu and by number", async () => {
    const byCpu = openWorld();
    await byCpu.put("core/nodes/_/n1", aNode("n1", "2"));
    await byCpu.put("core/pods/default/a", aPod("a", { nodeName: "n1", cpu: "1500m" }));
    await byCpu.put("core/pods/default/b", aPod("b", { nodeName: "n1", cpu: "600m" }));
    expect(byCpu.found()).toEqual(["S10", "n1 has 2000 of cpu, and its pods ask for 2100"]);
    const byNumber = openWorld();
    await byNumber.put("core/nodes/_/n1", aNode("n1", "2"));
    for (const name of ["a", "b", "c", "d"])
      await byNumber.put(`core/pods/default/${name}`, aPod(name, { nodeName: "n1" }));
    expect(byNumber.found()).toEqual(["S10", "n1 has 3 of pods, and its pods ask for 4"]);
  });

  test("S10: a pod that has ended, or is gone, gives its room back", async () => {
    const world = openWorld();
    await world.put("core/nodes/_/n1", aNode("n1", "2"));
    await world.put("core/pods/default/a", aPod("a", { nodeName: "n1", cpu: "2" }));
    await world.put("core/pods/default/a", aPod("a", { nodeName: "n1", cpu: "2", phase: "Succeeded" }));
    await world.put("core/pods/default/b", aPod("b", { nodeName: "n1", cpu: "2" }));
    await world.remove("core/pods/default/b", aPod("b", { nodeName: "n1", cpu: "2" }));
    await world.put("core/pods/default/c", aPod("c", { nodeName: "n1", cpu: "2" }));
    expect(world.invariants.violation).toBeUndefined();
  });

  test("S12: one pod more than the owner wants, unless it wanted it a moment ago", async () => {
    const world = openWorld();
    await world.put("apps/replicasets/default/web", aSet(2));
    await world.put("core/pods/default/a", aPod("a", { owned: true }));
    await world.put("apps/replicasets/default/web", aSet(1));
    await world.put("core/pods/default/b", aPod("b", { owned: true }));
    expect(world.invariants.violation).toBeUndefined();
    await world.clock.advance(minute);
    await world.put("core/pods/default/c", aPod("c", { owned: true }));
    expect(world.found()).toEqual(["S12", "web wants 1 pods and got 3"]);
  });

  test("S22: restarts that are forgotten, and a pod that comes back from its end", async () => {
    const forgotten = openWorld();
    await forgotten.put("core/pods/default/a", aPod("a", { restarts: 3 }));
    await forgotten.put("core/pods/default/a", aPod("a", { restarts: 2 }));
    expect(forgotten.found()).toEqual(["S22", "pod default/a: restarts of main fell from 3 to 2"]);
    const risen = openWorld();
    await risen.put("core/pods/default/a", aPod("a", { phase: "Failed" }));
    await risen.put("core/pods/default/a", aPod("a", { phase: "Running" }));
    expect(risen.found()).toEqual(["S22", "pod default/a was Failed and became Running"]);
  });

  test("writing in a circle, at one instant or round and round, and the cluster is ended", async () => {
    const crowd = openWorld();
    for (let i = 0; i <= 2000; i++) await crowd.put(`core/configmaps/default/c${i}`, { i });
    expect(crowd.found()[0]).toBe("no circle");
    expect(crowd.ended).toBe(1);
    const pair = openWorld();
    for (let i = 0; i < 80; i++) {
      await pair.put("core/configmaps/default/c", { i });
      await pair.clock.advance(100);
    }
    expect(pair.found()[1]).toMatch(/^61 changes within 10000 ms of core\/configmaps\/default\/c/);
  });

  test("no circle where one object changes once a second for long", async () => {
    const world = openWorld();
    for (let i = 0; i < 200; i++) {
      await world.put("core/configmaps/default/c", { i });
      await world.clock.advance(1000);
    }
    expect(world.invariants.violation).toBeUndefined();
  });
});

function openWorld() {
  const clock = new VirtualClock();
  const store = new MemoryStore({ clock });
  let ended = 0;
  const invariants = new Invariants({ store, clock, onViolation: () => ended++ });
  const index = { uid: "" };
  return {
    clock,
    invariants,
    get ended() {
      return ended;
    },
    found: () => [invariants.violation?.invariant, invariants.violation?.message],
    put: (key: string, object: object) => store.update(key, () => ({ put: encoded(object), index, result: undefined })),
    remove: (key: string, object: object) =>
      store.update(key, () => ({ delete: encoded(object), index, result: undefined })),
  };
}

/** The store writes the revision between the two parts. */
function encoded(object: object) {
  return { head: Buffer.from(`${JSON.stringify(object).slice(0, -1)},"revision":`), tail: Buffer.from("}") };
}

function aNode(name: string, cpu: string): Node {
  return { metadata: { name }, status: { allocatable: { cpu, memory: "1Gi", pods: "3" } } };
}

function aSet(replicas: number): ReplicaSet {
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [] } };
  return {
    metadata: { name: "web", uid: "set" },
    spec: { replicas, selector: { matchLabels: { app: "web" } }, template },
  };
}

interface PodTraits {
  nodeName?: string;
  cpu?: string;
  owned?: boolean;
  phase?: string;
  restarts?: number;
}

function aPod(name: string, { nodeName, cpu, owned, phase = "Running", restarts = 0 }: PodTraits): Pod {
  const requests = cpu === undefined ? {} : { cpu };
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "set", controller: true };
  return {
    metadata: { namespace: "default", name, uid: `uid-of-${name}`, ...(owned ? { ownerReferences: [owner] } : {}) },
    spec: { containers: [{ name: "main", resources: { requests } }], ...(nodeName === undefined ? {} : { nodeName }) },
    status: {
      phase: phase as NonNullable<Pod["status"]>["phase"],
      containerStatuses: [{ name: "main", restartCount: restarts, ready: true, image: "", imageID: "" }],
    },
  };
}
