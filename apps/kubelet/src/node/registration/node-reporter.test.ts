import { nodes } from "@kintsugi/api";
import { expect, test } from "vitest";
import { TestNode } from "../../testing/test-node.ts";

const second = 1000;

test("another client's change of the node's status is reverted at the next sync", async () => {
  await using node = new TestNode();
  await node.start();
  await node.clock.advance(20_000);
  const stored = await node.node();
  const conditions = (stored.status?.conditions ?? []).map((each) => ({ ...each, status: "Unknown" as const }));
  await node.client.update(nodes, { ...stored, status: { ...stored.status, conditions } }, { subresource: "status" });
  await node.clock.advance(11_000);
  const ready = (await node.node()).status?.conditions?.find(({ type }) => type === "Ready");
  expect(ready?.status).toBe("True");
});

test("capacity that other clients advertise is kept, and is allocatable until they remove it", async () => {
  await using node = new TestNode();
  await node.start();
  await node.clock.advance(20 * second);
  const advertise = async (capacity: Record<string, string>) => {
    const stored = await node.node();
    await node.client.update(nodes, { ...stored, status: { ...stored.status, capacity } }, { subresource: "status" });
    await node.clock.advance(11 * second);
    return (await node.node()).status;
  };
  const measured = (await node.node()).status?.capacity ?? {};
  const status = await advertise({ ...measured, cpu: "99", "example.com/device": "3" });
  expect(status?.capacity).toEqual({ ...measured, "example.com/device": "3" });
  expect(status?.allocatable).toMatchObject({ "example.com/device": "3", pods: "110" });
  const requests = (count: string) => ({
    containers: [
      { name: "c", image: "script.kintsugi.dev/stubborn", resources: { requests: { "example.com/device": count } } },
    ],
  });
  await node.createPod("two", requests("2"));
  await node.clock.advance(2 * second);
  expect((await node.pod("two")).status?.phase).toBe("Running");
  await node.createPod("too-many", requests("2"));
  await node.clock.advance(2 * second);
  expect((await node.pod("too-many")).status).toMatchObject({ phase: "Failed", reason: "OutOfexample.com/device" });

  expect((await advertise(measured))?.allocatable).not.toHaveProperty(["example.com/device"]);
  // A resource that no Node lists is counted only by the scheduler.
  await node.createPod("of-the-cluster", requests("1"));
  await node.clock.advance(2 * second);
  expect((await node.pod("of-the-cluster")).status?.phase).toBe("Running");
});
