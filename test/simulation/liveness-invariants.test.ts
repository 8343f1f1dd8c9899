import { formatTimestamp, type Pod, pods } from "@kintsugi/api";
import type { Copy } from "@kintsugi/simulation";
import { describe, expect, test } from "vitest";
import { aNode, aPod, aSet, aTaint, openWorld } from "./planted-world.ts";

const second = 1000;
const minute = 60 * second;

describe("required progress once no fault is active in the cluster", () => {
  test("pods-are-bound-in-time: a pod that is not bound; a pod may wait if the scheduler states why it cannot be bound", async () => {
    const world = openWorld();
    const conditions = [{ type: "PodScheduled", status: "False" as const, reason: "Unschedulable" }];
    await world.putPod(aPod("too-big", { phase: "Pending", conditions }));
    await world.live(5 * minute);
    const settle = world.quietPeriod.disturb();
    await world.putPod(aPod("a", { phase: "Pending" }));
    await world.live(5 * minute);
    settle();
    await world.live(50 * second);
    expect(world.invariants.violation).toBeUndefined();
    await world.live(20 * second);
    expect(world.found()[0]).toBe("pods-are-bound-in-time");
    expect(world.found()[1]).toMatch(/^pod default\/a has waited for a node for 6\d{4} ms$/);
  });

  describe("copies-agree: a cache of the pods", () => {
    const ended = { phase: "Succeeded" as const };
    const follow = (world: ReturnType<typeof openWorld>, list: () => Pod[]) =>
      world.copies.push({
        owner: "scheduler",
        informer: { type: pods, list } as unknown as Copy["informer"],
        options: {},
      });
    const at = (pod: Pod, revision: number) => ({
      ...pod,
      metadata: { ...pod.metadata, resourceVersion: `${revision}` },
    });

    test("is complete, or is always slightly behind", async () => {
      const world = openWorld();
      await world.putPod(aPod("a", ended));
      follow(world, () => [at(aPod("a", ended), 1)]);
      await world.live(2 * minute);
      expect(world.invariants.violation).toBeUndefined();
      expect(world.invariants.checksByName["copies-agree"]).toBeGreaterThan(5);
    });

    test("never receives a change, or a deletion", async () => {
      const changed = openWorld();
      follow(changed, () => [at(aPod("a", ended), 1)]);
      await changed.putPod(aPod("a", ended));
      await changed.live(2 * minute);
      await changed.putPod(aPod("a", { ...ended, restarts: 1 }));
      const { revision } = (await changed.putPod(aPod("a", { ...ended, restarts: 2 }))) as { revision: number };
      await changed.live(minute);
      expect(changed.found()).toEqual([
        "copies-agree",
        `the cache of pods of scheduler lacks core/pods/default/a@${revision}`,
      ]);
      const gone = openWorld();
      follow(gone, () => [at(aPod("a", ended), 1)]);
      await gone.live(2 * minute);
      expect(gone.found()).toEqual([
        "copies-agree",
        "the cache of pods of scheduler has core/pods/default/a, which is deleted",
      ]);
    });

    test("is not checked while a fault is active", async () => {
      const world = openWorld();
      const settle = world.quietPeriod.disturb();
      follow(world, () => []);
      await world.putPod(aPod("a", ended));
      await world.live(10 * minute);
      expect(world.invariants.violation).toBeUndefined();
      settle();
      await world.live(2 * minute);
      expect(world.found()[0]).toBe("copies-agree");
    });
  });

  test("deleted-pods-are-removed: a deleted pod that remains after its grace period, unless its node is lost or a finalizer holds it", async () => {
    const world = openWorld();
    await world.putNode(aNode("n1"));
    await world.putNode(aNode("n2", { ready: "Unknown" }));
    world.quietPeriod.lose("n2");
    const deletionTimestamp = formatTimestamp(world.clock.nowMs() + 30 * second);
    const metadata = { deletionTimestamp, deletionGracePeriodSeconds: 30 };
    await world.putPod(aPod("held", { nodeName: "n1", metadata: { ...metadata, finalizers: ["example.com/hold"] } }));
    await world.putPod(aPod("lost", { nodeName: "n2", metadata }));
    await world.putPod(aPod("late", { nodeName: "n1", metadata }));
    await world.live(90 * second);
    expect(world.invariants.violation).toBeUndefined();
    await world.live(20 * second);
    expect(world.found()[1]).toMatch(/^pod default\/late should have been removed \d+ ms ago$/);
  });

  test("dependents-are-removed: an object that has outlived its owner", async () => {
    const world = openWorld();
    await world.putSet(aSet(1));
    await world.put("core/configmaps/default/a", { metadata: { uid: "a", ownerReferences: [{ uid: "set" }] } });
    await world.live(5 * minute);
    await world.remove("apps/replicasets/default/web", aSet(1));
    await world.live(50 * second);
    expect(world.invariants.violation).toBeUndefined();
    await world.live(20 * second);
    expect(world.found()[1]).toMatch(
      /^core\/configmaps\/default\/a exists, although its last owner was removed 6\d{4} ms ago$/,
    );
  });

  test("dependents-are-removed: a namespace that does not end", async () => {
    const world = openWorld();
    const metadata = { name: "old", deletionTimestamp: formatTimestamp(world.clock.nowMs()) };
    await world.put("core/namespaces/_/old", { metadata });
    await world.live(110 * second);
    expect(world.invariants.violation).toBeUndefined();
    await world.live(20 * second);
    expect(world.found()[1]).toMatch(/^core\/namespaces\/_\/old has been terminating for 12\d{4} ms$/);
  });

  test("requests-are-answered: a request that is never answered; a request to a server that may have crashed is accepted", async () => {
    const world = openWorld();
    const path = "/api/v1/namespaces/default/pods/a";
    const hang = () => void world.granted({ method: "GET", path, user: "admin" }, () => new Promise(() => {}));
    const settle = world.quietPeriod.disturb();
    hang();
    await world.live(10 * second);
    settle();
    await world.live(5 * minute);
    expect(world.invariants.violation).toBeUndefined();
    hang();
    await world.live(50 * second);
    expect(world.invariants.violation).toBeUndefined();
    await world.live(20 * second);
    expect(world.found()[1]).toMatch(/^GET \/api\/v1\/namespaces\/default\/pods\/a has waited for 6\d{4} ms$/);
  });

  describe("watches-have-bookmarks: a watch with bookmarks", () => {
    const path = "/api/v1/pods?watch=true&allowWatchBookmarks=true";

    test("receives an event once a minute, or requested no bookmarks, or has no reader", async () => {
      const world = openWorld();
      const watch = world.watched({ path, user: "scheduler" });
      world.watched({ path: "/api/v1/pods?watch=true", user: "a" })?.awaited();
      world.watched({ path, user: "b" });
      for (let minutes = 0; minutes < 5; minutes++) {
        watch?.awaited();
        await world.live(minute);
        watch?.sent();
      }
      watch?.awaited();
      watch?.ended();
      await world.live(5 * minute);
      expect(world.invariants.violation).toBeUndefined();
      expect(world.invariants.checksByName["watches-have-bookmarks"]).toBeGreaterThan(100);
    });

    test("receives nothing", async () => {
      const world = openWorld();
      const watch = world.watched({ path, user: "scheduler" });
      const settle = world.quietPeriod.disturb();
      watch?.awaited();
      await world.live(5 * minute);
      expect(world.invariants.violation).toBeUndefined();
      settle();
      // A minute by a slow clock may take 75 s.
      await world.live(70 * second);
      expect(world.invariants.violation).toBeUndefined();
      await world.live(10 * second);
      expect(world.found()[0]).toBe("watches-have-bookmarks");
      expect(world.found()[1]).toMatch(/^the watch \S+ of scheduler has been silent for 7\d{4} ms$/);
    });

    test("falls silent later", async () => {
      const world = openWorld();
      const watch = world.watched({ path, user: "scheduler" });
      for (let minutes = 0; minutes < 3; minutes++) {
        watch?.awaited();
        await world.live(minute);
        watch?.sent();
      }
      watch?.awaited();
      await world.live(60 * second);
      expect(world.invariants.violation).toBeUndefined();
      await world.live(10 * second);
      expect(world.found()[1]).toMatch(/^the watch \S+ of scheduler has been silent for 6\d{4} ms$/);
    });
  });

  describe("queues-drain: leftovers of a crowd", () => {
    test("a queue that never becomes empty, and a queue that becomes empty now and then", async () => {
      const world = openWorld();
      const settle = world.quietPeriod.disturb();
      world.levels.push({ owner: "controller-manager", name: "node", value: 3 });
      await world.live(5 * minute);
      settle();
      for (let i = 0; i < 10; i++) {
        await world.live(20 * second);
        world.levels.splice(0);
        await world.live(2 * second);
        world.levels.push({ owner: "controller-manager", name: "node", value: 1 });
      }
      expect(world.invariants.violation).toBeUndefined();
      expect(world.invariants.checksByName["queues-drain"]).toBeGreaterThan(50);
      await world.live(40 * second);
      expect(world.found()[0]).toBe("queues-drain");
      expect(world.found()[1]).toMatch(/^the queue node of controller-manager has not been empty for 3\d{4} ms$/);
    });

    test("a slow response; during a crowd and for a minute after it a response may be slow", async () => {
      const world = openWorld();
      const request = { method: "GET", path: "/api/v1/namespaces/default/pods/a", user: "admin" };
      const slowly = () => world.granted(request, () => world.live(8 * second));
      const settle = world.quietPeriod.disturb();
      await slowly();
      settle();
      await slowly();
      expect(world.invariants.violation).toBeUndefined();
      await world.live(minute);
      await slowly();
      expect(world.found()).toEqual(["queues-drain", "GET /api/v1/namespaces/default/pods/a took 8000 ms"]);
    });
  });

  describe("lost-nodes-become-unready and lost-nodes-are-evicted: a node that does not return", () => {
    const toleration = { operator: "Exists", effect: "NoExecute", tolerationSeconds: 30 } as const;

    test("is still Ready long after its grace period", async () => {
      const world = openWorld();
      world.quietPeriod.lose("n1");
      await world.putNode(aNode("n1"));
      await world.live(minute);
      expect(world.invariants.violation).toBeUndefined();
      await world.live(minute);
      expect(world.found()[1]).toMatch(/^node n1 is lost and still Ready after \d+ ms$/);
    });

    test("keeps a pod whose time has passed; a pod that tolerates it forever or is terminating may remain", async () => {
      const world = openWorld();
      world.quietPeriod.lose("n1");
      const deletionTimestamp = formatTimestamp(world.clock.nowMs() + 600 * second);
      const spec = { tolerations: [toleration] };
      await world.putNode(aNode("n1", { ready: "Unknown", taints: [aTaint("NoExecute")] }));
      await world.putPod(aPod("going", { nodeName: "n1", spec, metadata: { deletionTimestamp } }));
      const { tolerationSeconds: _, ...forEver } = toleration;
      await world.putPod(aPod("for-ever", { nodeName: "n1", spec: { tolerations: [forEver] } }));
      await world.live(5 * minute);
      expect(world.invariants.violation).toBeUndefined();
      await world.putPod(aPod("late", { nodeName: "n1", spec }));
      await world.live(44 * second);
      expect(world.invariants.violation).toBeUndefined();
      await world.live(3 * second);
      expect(world.found()[0]).toBe("lost-nodes-are-evicted");
      expect(world.found()[1]).toMatch(/^pod default\/late is on n1 \d+ ms after its toleration ended$/);
    });
  });
});
