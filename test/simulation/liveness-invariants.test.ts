import { formatTimestamp } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aNode, aPod, aSet, openWorld } from "./planted-world.ts";

const second = 1000;
const minute = 60 * second;

describe("what has to happen in time, once nothing is being done to the cluster", () => {
  test("L3: a pod that nobody binds; one of which the scheduler says why it cannot be bound may wait", async () => {
    const world = openWorld();
    const conditions = [{ type: "PodScheduled", status: "False" as const, reason: "Unschedulable" }];
    await world.putPod(aPod("too-big", { phase: "Pending", conditions }));
    await world.live(5 * minute);
    const settle = world.calm.disturb();
    await world.putPod(aPod("a", { phase: "Pending" }));
    await world.live(5 * minute);
    settle();
    await world.live(50 * second);
    expect(world.invariants.violation).toBeUndefined();
    await world.live(20 * second);
    expect(world.found()[0]).toBe("L3");
    expect(world.found()[1]).toMatch(/^pod default\/a has waited for a node for 6\d{4} ms$/);
  });

  test("L6: a deleted pod that stays when its grace is over; not on a lost node, nor while somebody holds it", async () => {
    const world = openWorld();
    for (const node of ["n1", "n2"]) await world.putNode(aNode(node));
    world.calm.lose("n2");
    const deletionTimestamp = formatTimestamp(world.clock.nowMs() + 30 * second);
    const metadata = { deletionTimestamp, deletionGracePeriodSeconds: 30 };
    await world.putPod(aPod("held", { nodeName: "n1", metadata: { ...metadata, finalizers: ["example.com/hold"] } }));
    await world.putPod(aPod("lost", { nodeName: "n2", metadata }));
    await world.putPod(aPod("late", { nodeName: "n1", metadata }));
    await world.live(90 * second);
    expect(world.invariants.violation).toBeUndefined();
    await world.live(20 * second);
    expect(world.found()[1]).toMatch(/^pod default\/late was to be gone \d+ ms ago$/);
  });

  test("L7: an object that has outlived its owner", async () => {
    const world = openWorld();
    await world.putSet(aSet(1));
    await world.put("core/configmaps/default/a", { metadata: { uid: "a", ownerReferences: [{ uid: "set" }] } });
    await world.live(5 * minute);
    await world.remove("apps/replicasets/default/web", aSet(1));
    await world.live(50 * second);
    expect(world.invariants.violation).toBeUndefined();
    await world.live(20 * second);
    expect(world.found()[1]).toMatch(
      /^core\/configmaps\/default\/a is there, and its last owner has been gone for 6\d{4} ms$/,
    );
  });

  test("L7: a namespace that does not end", async () => {
    const world = openWorld();
    const metadata = { name: "old", deletionTimestamp: formatTimestamp(world.clock.nowMs()) };
    await world.put("core/namespaces/_/old", { metadata });
    await world.live(110 * second);
    expect(world.invariants.violation).toBeUndefined();
    await world.live(20 * second);
    expect(world.found()[1]).toMatch(/^core\/namespaces\/_\/old has been ending for 12\d{4} ms$/);
  });

  test("L8: a request that nobody answers; one whose server may have died meanwhile is nobody's fault", async () => {
    const world = openWorld();
    const path = "/api/v1/namespaces/default/pods/a";
    const hang = () => void world.granted({ method: "GET", path, user: "admin" }, () => new Promise(() => {}));
    const settle = world.calm.disturb();
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
});
