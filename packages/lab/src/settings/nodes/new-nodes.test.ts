import { expect, test } from "vitest";
import { newClusterSpec } from "../../cluster/cluster-spec.ts";
import { planNewNodes, withoutNode } from "./new-nodes.ts";

const node = (index: number) => ({ name: `node-${index}`, index });

test("new nodes get the lowest free numbers and the matching names", () => {
  expect(planNewNodes([node(1), node(3)], [{}, { name: "db" }, { labels: { a: "b" } }])).toEqual([
    node(2),
    { name: "db", index: 4 },
    { ...node(5), labels: { a: "b" } },
  ]);
  // A node with another number's default name keeps its name.
  expect(planNewNodes([{ name: "node-2", index: 1 }], [{}])).toEqual([{ name: "node-2b", index: 2 }]);
});

test.each([
  ["node-1", /a node "node-1" already exists/],
  ["Node", /"Node" cannot be a node's name/],
  ["a.b", /"a.b" cannot be a node's name/],
  ["a".repeat(33), /more than 32 characters/],
  ["admin", /files of the control plane have this name/],
  ["pids", /files of the control plane have this name/],
])("the name %s is rejected", (name, message) => {
  expect(() => planNewNodes([node(1)], [{ name }])).toThrow(message);
});

test("a cluster with the maximum number of nodes gets no other node", () => {
  expect(() => planNewNodes([node(1), node(2)], [{}], { indexMax: 2 })).toThrow(/at most 2 nodes: remove one first/);
});

test("the last node is never removed", () => {
  const spec = newClusterSpec({ name: "c", nodeCount: 2, profile: "fast", apiPort: 1, subnet: 64, createdAtMs: 0 });
  const rest = withoutNode(spec, "node-1");
  expect(rest.nodes).toEqual([node(2)]);
  expect(() => withoutNode(rest, "node-2")).toThrow(/node-2 is the last node of cluster "c"/);
});
