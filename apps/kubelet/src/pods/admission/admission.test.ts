import { nodes, type Taint } from "@kintsugi/api";
import { expect, test } from "vitest";
import { TestNode } from "../../testing/test-node.ts";

const second = 1000;
const noExecute: Taint = { key: "example.com/away", effect: "NoExecute" };

async function taint(node: TestNode, taints: Taint[]): Promise<void> {
  const stored = await node.node();
  await node.client.update(nodes, { ...stored, spec: { ...stored.spec, taints } });
}

test("a pod is checked with the node's present taints instead of the last reported taints", async () => {
  await using node = new TestNode();
  await node.start();
  await taint(node, [noExecute]);
  await node.clock.advance(20 * second);
  await node.createPod("turned-away");
  await node.clock.advance(second);
  expect((await node.pod("turned-away")).status).toMatchObject({
    phase: "Failed",
    message: "Pod was rejected: Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
  });

  await taint(node, []);
  await node.clock.advance(100);
  await node.createPod("welcome");
  await node.clock.advance(second);
  expect((await node.pod("welcome")).status?.phase).toBe("Running");

  await taint(node, [noExecute]);
  await node.clock.advance(100);
  await node.createPod("late");
  await node.clock.advance(second);
  expect((await node.pod("late")).status?.phase).toBe("Failed");
});

test.each([
  ["names another system", { os: { name: "windows" as const } }, undefined, "PodOSNotSupported"],
  ["has the label of another system", {}, { "kubernetes.io/os": "windows" }, "PodOSSelectorNodeLabelDoesNotMatch"],
])("a pod that %s is rejected, in upstream's words", async (_, spec, labels, reason) => {
  await using node = new TestNode();
  await node.start();
  await node.createPod("foreign", spec, labels === undefined ? {} : { labels });
  await node.createPod("own", { os: { name: "linux" } }, { labels: { "kubernetes.io/os": "linux" } });
  await node.clock.advance(second);
  expect((await node.pod("foreign")).status).toMatchObject({ phase: "Failed", reason });
  expect((await node.pod("foreign")).status?.message).toMatch(/^Pod was rejected: Failed to admit pod as the /);
  expect((await node.pod("own")).status?.phase).toBe("Running");
});
