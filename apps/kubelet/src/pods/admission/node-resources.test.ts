import { expect, test } from "vitest";
import { doing } from "../../testing/builders.ts";
import { withNode, TestNode } from "../../testing/test-node.ts";
import { pods } from "@kintsugi/api";

const second = 1000;

test("a pod that exceeds the node's resources fails and states the missing resource", () =>
  withNode(async (node) => {
    const resources = { requests: { cpu: "3" } };
    await node.createPod("first", doing("run", {}, { resources }));
    await node.createPod("second", doing("run", {}, { resources }));
    await node.clock.advance(2 * second);
    expect((await node.pod("first")).status?.phase).toBe("Running");
    expect((await node.pod("second")).status).toMatchObject({
      phase: "Failed",
      reason: "OutOfcpu",
      message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 3000, used: 3000, capacity: 4000",
    });
    await node.deletePod("first", 1);
    await node.clock.advance(3 * second);
    await node.createPod("third", doing("run", {}, { resources }));
    await node.clock.advance(2 * second);
    expect((await node.pod("third")).status?.phase).toBe("Running");
  }));

test("a pod that the API no longer has does not reduce the resources of other pods, although it still runs", async () => {
  await using node = new TestNode({ maxPods: 1 });
  await node.start();
  const stubborn = { containers: [{ name: "c", image: "script.kintsugi.dev/stubborn" }] };
  await node.createPod("old", stubborn);
  await node.clock.advance(2 * second);
  // The object is removed immediately without a grace period; its containers have the grace period
  // of their spec.
  await node.client.delete(pods, { namespace: "default", name: "old" });
  await node.createPod("new", stubborn);
  await node.clock.advance(2 * second);
  expect(await node.running()).toEqual(["new/c#0", "old/c#0"]);
  expect((await node.pod("new")).status?.phase).toBe("Running");
  await node.createPod("third", stubborn);
  await node.clock.advance(2 * second);
  expect((await node.pod("third")).status).toMatchObject({ phase: "Failed", reason: "OutOfpods" });
  await node.clock.advance(30 * second);
  expect(await node.running()).toEqual(["new/c#0"]);
});
