import { formatTimestamp } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aNode, aPod, aTaint, openWorld } from "./planted-world.ts";

// All with the timers of the profile fast: a grace period of 4 s, 10 nodes per second and zone.

const second = 1000;
const minute = 60 * second;
const evicted = [{ type: "DisruptionTarget", status: "True" as const, reason: "DeletionByTaintManager" }];

describe("silence-lasts-the-grace-period and evictions-wait-for-tolerations, the safety half", () => {
  test("a node that becomes Unknown although it renewed its Lease a moment ago", async () => {
    const world = openWorld();
    await world.putNode(aNode("n1"));
    await world.renew("n1");
    await world.clock.advance(4 * second);
    await world.putNode(aNode("n1", { ready: "Unknown" }));
    expect(world.invariants.violation).toBeUndefined();
    await world.putNode(aNode("n1"));
    await world.renew("n1");
    // The commits in the meantime show that the decision did not wait for the disk.
    for (const ms of [1000, 1000, 1000, 500, 499]) await world.live(ms);
    await world.putNode(aNode("n1", { ready: "Unknown" }));
    expect(world.found()).toEqual([
      "silence-lasts-the-grace-period",
      "node n1 became Unknown 3999 ms after its last renewal",
    ]);
  });

  test("accepts a change just after the first Lease of a node that was silent before it", async () => {
    const world = openWorld();
    await world.putNode(aNode("n1"));
    await world.clock.advance(4 * second);
    await world.renew("n1");
    await world.putNode(aNode("n1", { ready: "Unknown" }));
    expect(world.invariants.violation).toBeUndefined();
  });

  test("is not checked for a controller whose clock runs fast", async () => {
    const world = openWorld();
    await world.putNode(aNode("n1"));
    await world.renew("n1");
    world.machineClock.setRate(1.25);
    await world.clock.advance(3200);
    await world.putNode(aNode("n1", { ready: "Unknown" }));
    expect(world.invariants.violation).toBeUndefined();
  });

  test("a pod that is evicted before its toleration has ended, and a pod that is evicted after it", async () => {
    const world = openWorld();
    const spec = {
      tolerations: [{ key: "node.kubernetes.io/unreachable", operator: "Exists" as const, tolerationSeconds: 300 }],
    };
    await world.putNode(aNode("n1"));
    for (const name of ["a", "b"]) await world.putPod(aPod(name, { nodeName: "n1", spec }));
    await world.putNode(aNode("n1", { ready: "Unknown", taints: [aTaint("NoExecute")] }));
    await world.clock.advance(300 * second);
    await world.putPod(aPod("a", { nodeName: "n1", spec, conditions: evicted }));
    expect(world.invariants.violation).toBeUndefined();
    await world.putNode(aNode("n1"));
    await world.putNode(
      aNode("n1", { ready: "Unknown", taints: [aTaint("NoExecute", formatTimestamp(world.clock.nowMs()))] }),
    );
    await world.clock.advance(299 * second);
    await world.putPod(aPod("b", { nodeName: "n1", spec, conditions: evicted }));
    expect(world.found()).toEqual([
      "evictions-wait-for-tolerations",
      "pod default/b tolerates node.kubernetes.io/unreachable for 300000 ms and was evicted after 299000 ms",
    ]);
  });
});

describe("evictions-wait-for-tolerations, when the node has returned", () => {
  const spec = {
    tolerations: [{ key: "node.kubernetes.io/unreachable", operator: "Exists" as const, tolerationSeconds: 300 }],
  };

  async function downFor(ms: number) {
    const world = openWorld();
    await world.putNode(aNode("n1"));
    await world.putPod(aPod("a", { nodeName: "n1", spec }));
    const timeAdded = formatTimestamp(world.clock.nowMs());
    await world.putNode(aNode("n1", { ready: "Unknown", taints: [aTaint("NoExecute", timeAdded)] }));
    await world.clock.advance(ms);
    await world.putNode(aNode("n1"));
    await world.clock.advance(second);
    await world.putPod(aPod("a", { nodeName: "n1", spec, conditions: evicted }));
    return world;
  }

  test("a pod that is evicted anyway, although its time had not passed", async () => {
    const world = await downFor(299 * second);
    expect(world.found()).toEqual([
      "evictions-wait-for-tolerations",
      "pod default/a tolerates node.kubernetes.io/unreachable for 300000 ms and was evicted after 299000 ms",
    ]);
  });

  test("an eviction that was in flight when the node returned is accepted", async () => {
    expect((await downFor(300 * second)).invariants.violation).toBeUndefined();
  });
});

describe("evictions-are-rate-limited: the eviction limiter", () => {
  const down = { ready: "Unknown" as const, taints: [aTaint("NoExecute")] };

  test("more nodes of a zone at the same time than the rate allows; other zones and a new leader have their own buckets", async () => {
    const world = openWorld();
    const [first, other] = [
      Array.from({ length: 30 }, (_, n) => `n${n}`),
      Array.from({ length: 5 }, (_, n) => `o${n}`),
    ];
    for (const name of first) await world.putNode(aNode(name, { zone: "a" }));
    for (const name of other) await world.putNode(aNode(name, { zone: "b" }));
    for (const name of first.slice(0, 11)) await world.putNode(aNode(name, { zone: "a", ...down }));
    for (const name of other) await world.putNode(aNode(name, { zone: "b", ...down }));
    expect(world.invariants.violation).toBeUndefined();
    await world.putNode(aNode("n11", { zone: "a", ...down }));
    expect(world.found()).toEqual([
      "evictions-are-rate-limited",
      "12 nodes of zone :a began to be evicted within 0 ms, the last n11",
    ]);
  });

  test("accepts a taint that was delayed by a slow disk just before the next taint", async () => {
    const nodesDownAfter = async (batchMs: number) => {
      const world = openWorld();
      const names = Array.from({ length: 20 }, (_, n) => `n${n}`);
      for (const name of names) await world.putNode(aNode(name));
      for (let batch = 0; batch < 3; batch++) {
        await world.clock.advance(batchMs);
        await world.renew("n0");
      }
      for (const name of names) await world.putNode(aNode(name, down));
      return world.invariants.violation?.invariant;
    };
    expect([await nodesDownAfter(second), await nodesDownAfter(100)]).toEqual([
      undefined,
      "evictions-are-rate-limited",
    ]);
  });

  test("a node whose pods begin to terminate while all nodes are down, unless the last node was up a moment ago", async () => {
    const world = openWorld();
    for (const name of ["n1", "n2"]) await world.putNode(aNode(name));
    for (const name of ["n1", "n2"]) await world.putNode(aNode(name, { ready: "Unknown" }));
    await world.putNode(aNode("n1", down));
    await world.live(minute);
    expect(world.invariants.violation).toBeUndefined();
    await world.putNode(aNode("n2", down));
    expect(world.found()).toEqual(["evictions-are-rate-limited", "n2 began to be evicted while no node is Ready"]);
  });

  test("a controller that evicts before it has listened for a grace period", async () => {
    const world = openWorld();
    for (const name of ["n1", "n2", "n3"]) await world.putNode(aNode(name));
    await world.lead("one");
    await world.clock.advance(4 * second);
    await world.putNode(aNode("n1", down));
    expect(world.invariants.violation).toBeUndefined();
    await world.lead("two");
    await world.clock.advance(4 * second - 1);
    await world.putNode(aNode("n2", down));
    expect(world.found()).toEqual([
      "evictions-are-rate-limited",
      "n2 began to be evicted 3999 ms after the controller had begun",
    ]);
  });
});
