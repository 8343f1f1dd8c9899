import { describe, expect, test } from "vitest";
import { aPod, aSet, openWorld } from "./planted-world.ts";

const second = 1000;
const minute = 60 * second;

describe("the pods that owners request are compared with their actual pods", () => {
  test("owners-have-no-surplus-pods: one pod more than the owner requests, unless the owner requested it a moment ago", async () => {
    const world = openWorld();
    await world.putSet(aSet(2));
    await world.putPod(aPod("a", { owned: true }));
    await world.putSet(aSet(1));
    await world.putPod(aPod("b", { owned: true }));
    expect(world.invariants.violation).toBeUndefined();
    await world.live(minute);
    await world.putPod(aPod("c", { owned: true }));
    expect(world.found()).toEqual(["owners-have-no-surplus-pods", "web requests 1 pods and has 3"]);
  });

  test("owners-have-no-surplus-pods: one pod more than a ReplicationController requests", async () => {
    const world = openWorld();
    const owner = { apiVersion: "v1", kind: "ReplicationController", name: "old", uid: "rc", controller: true };
    await world.put("core/replicationcontrollers/default/old", {
      metadata: { name: "old", namespace: "default", uid: "rc" },
      spec: { replicas: 1 },
    });
    for (const name of ["a", "b"]) await world.putPod(aPod(name, { metadata: { ownerReferences: [owner] } }));
    expect(world.found()).toEqual(["owners-have-no-surplus-pods", "old requests 1 pods and has 2"]);
  });

  test("owners-have-no-surplus-pods: a controller-manager that was cut off may briefly follow a request that its owner has changed in the meantime", async () => {
    const world = openWorld();
    await world.putSet(aSet(1));
    world.wire.cut();
    await world.putSet(aSet(3));
    await world.live(minute);
    await world.putSet(aSet(1));
    await world.live(minute);
    world.wire.heal();
    for (const name of ["a", "b", "c"]) await world.putPod(aPod(name, { owned: true }));
    expect(world.invariants.violation).toBeUndefined();
    await world.live(minute);
    await world.putPod(aPod("d", { owned: true }));
    expect(world.found()).toEqual(["owners-have-no-surplus-pods", "web requests 1 pods and has 4"]);
  });

  test("owners-have-no-surplus-pods: a creation that waited behind a slow sync for longer than 15 s was decided while the owner still requested it", async () => {
    const world = openWorld();
    await world.putSet(aSet(2));
    await world.putPod(aPod("a", { owned: true }));
    await world.putSet(aSet(1));
    await world.clock.advance(30 * second);
    await world.putPod(aPod("b", { owned: true }));
    expect(world.invariants.violation).toBeUndefined();
    await world.live(20 * second);
    await world.removePod(aPod("b", { owned: true }));
    await world.putPod(aPod("c", { owned: true }));
    expect(world.found()).toEqual(["owners-have-no-surplus-pods", "web requests 1 pods and has 2"]);
  });

  test("owners-have-no-surplus-pods: one surplus pod is allowed if its creation was in flight until another pod was requested", async () => {
    const world = openWorld();
    world.quietPeriod.disturb();
    await world.putSet(aSet(1));
    const creation = { method: "POST", path: "/api/v1/namespaces/default/pods", user: "someone" };
    await world.granted(creation, async () => {
      await world.live(20 * second);
      await world.putPod(aPod("again", { owned: true }));
      await world.putPod(aPod("late", { owned: true }));
    });
    await world.granted({ ...creation, status: 504 }, () => world.live(20 * second));
    await world.putPod(aPod("later", { owned: true }));
    expect(world.invariants.violation).toBeUndefined();
    await world.live(6 * minute);
    await world.granted(creation, () => world.putPod(aPod("another", { owned: true })));
    expect(world.found()).toEqual(["owners-have-no-surplus-pods", "web requests 1 pods and has 4"]);
  });

  test("owners-have-no-surplus-pods: one surplus pod of an ended controller-manager is allowed, unless its successor had to be elected", async () => {
    const world = openWorld();
    const creation = { method: "POST", path: "/api/v1/namespaces/default/pods", user: "someone", isForsaken: true };
    await world.putSet(aSet(1));
    await world.granted(creation, () => world.putPod(aPod("late", { owned: true })));
    await world.putPod(aPod("again", { owned: true }));
    expect(world.invariants.violation).toBeUndefined();
    await world.live(20 * second);
    await world.lead("someone");
    await world.granted(creation, () => world.putPod(aPod("another", { owned: true })));
    expect(world.found()).toEqual(["owners-have-no-surplus-pods", "web requests 1 pods and has 3"]);
  });

  test("rollouts-stay-within-surge and rollouts-keep-available-pods: a deployment's sets that request more than its surge, or remove pods that it has to keep", async () => {
    const rollingBy = (maxSurge: number, maxUnavailable: number) => ({
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } },
    });
    const deployment = (replicas: number) => ({
      metadata: { name: "web", namespace: "default", uid: "d" },
      spec: { replicas, selector: {}, template: {}, ...rollingBy(1, 1) },
    });
    const owner = { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "d", controller: true };
    const set = (name: string, replicas: number, availableReplicas: number) => ({
      metadata: { name, namespace: "default", uid: name, ownerReferences: [owner] },
      spec: { replicas, selector: {} },
      status: { replicas, availableReplicas },
    });
    const rolling = async (...sizes: [name: string, replicas: number, available: number][]) => {
      const world = openWorld();
      await world.put("apps/deployments/default/web", deployment(4));
      for (const [name, replicas, available] of sizes) {
        await world.live(20 * second);
        await world.put(`apps/replicasets/default/${name}`, set(name, replicas, available));
      }
      return world;
    };
    const within = await rolling(
      ["old", 4, 4],
      ["new", 1, 0],
      ["old", 3, 3],
      ["new", 2, 2],
      ["old", 1, 1],
      ["new", 4, 4],
      ["old", 0, 0],
    );
    expect(within.invariants.violation).toBeUndefined();
    const above = await rolling(["old", 4, 4], ["new", 2, 0]);
    expect(above.found()).toEqual([
      "rollouts-stay-within-surge",
      "the sets of web request 6 pods, but at most 5 are allowed",
    ]);
    const below = await rolling(["old", 4, 4], ["new", 1, 0], ["old", 2, 2]);
    expect(below.found()).toEqual([
      "rollouts-keep-available-pods",
      "web keeps 2 of its available pods, but at least 3 are required",
    ]);
    const unwell = await rolling(["old", 4, 2], ["new", 1, 0], ["old", 2, 2]);
    expect(unwell.invariants.violation).toBeUndefined();
    const heardLate = await rolling(["old", 4, 4], ["new", 1, 0]);
    await heardLate.put("apps/replicasets/default/old", set("old", 4, 2));
    await heardLate.live(10 * second);
    await heardLate.put("apps/replicasets/default/old", set("old", 2, 2));
    expect(heardLate.invariants.violation).toBeUndefined();
    const scaledDown = await rolling(["old", 4, 4]);
    await scaledDown.put("apps/deployments/default/web", deployment(1));
    await scaledDown.put("apps/replicasets/default/new", set("new", 1, 0));
    await scaledDown.put("apps/replicasets/default/old", set("old", 0, 0));
    expect(scaledDown.invariants.violation).toBeUndefined();
  });
});
