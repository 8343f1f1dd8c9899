import { expect, test } from "vitest";
import { proxiedNode, registeredNode } from "./testing/proxied-node.ts";

test("a node that is about to be removed is no longer eligible", async () => {
  const world = proxiedNode();
  const proxy = await world.start();
  expect(proxy.state.nodeEligible).toBe(true);
  world.put("nodes", registeredNode({ taints: [{ key: "ToBeDeletedByClusterAutoscaler", effect: "NoSchedule" }] }));
  await world.clock.settle();
  expect(proxy.state.nodeEligible).toBe(false);
});
