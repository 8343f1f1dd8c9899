import { type Node, parseIpv4Range } from "@kintsugi/api";
import { expect, test } from "vitest";
import { planNetworkCondition, planCloudRoutes } from "./plan-routes.ts";

const cluster = parseIpv4Range("10.64.0.0/16");

function aNode(index: number, { spec = {}, metadata = {} }: { spec?: object; metadata?: object } = {}): Node {
  return {
    metadata: { name: `node-${index}`, ...metadata },
    spec: { providerID: `lab://c/node-${index}`, podCIDRs: [`10.64.${index}.0/24`], ...spec },
    status: { addresses: [{ type: "InternalIP", address: `10.64.0.1${index}` }] },
  } as Node;
}

const route = (index: number) => ({
  cidr: `10.64.${index}.0/24`,
  target: `node-${index}`,
  address: `10.64.0.1${index}`,
});

test("each node gets a route, and the route of a node that no longer exists is removed", () => {
  const plan = planCloudRoutes([aNode(1), aNode(2)], [route(2), route(3)], cluster);
  expect(plan).toEqual({ ensure: [route(1)], remove: [route(3)] });
  expect(planCloudRoutes([aNode(1)], [route(1)], cluster)).toEqual({ ensure: [], remove: [] });
});

test("a range that now belongs to another node is rerouted without an intermediate deletion", () => {
  const plan = planCloudRoutes([aNode(1)], [{ ...route(1), target: "node-9", address: "10.64.0.19" }], cluster);
  expect(plan).toEqual({ ensure: [route(1)], remove: [] });
});

test("routes outside the cluster's range are not changed", () => {
  const foreign = { ...route(3), cidr: "172.16.0.0/12" };
  expect(planCloudRoutes([], [foreign], cluster).remove).toEqual([]);
});

test.each([
  ["whose machine is unknown", { spec: { providerID: "" } }],
  ["without a range", { spec: { podCIDRs: [] } }],
  ["that is being deleted", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }],
])("a node %s gets no route", (_, changes) => {
  expect(planCloudRoutes([aNode(1, changes)], [], cluster).ensure).toEqual([]);
});

test("the condition is written when it changes, next to the kubelet's own conditions", () => {
  const ready = { type: "Ready", status: "True" };
  const node = { ...aNode(1), status: { conditions: [ready] } } as Node;
  const status = planNetworkCondition(node, { hasRoute: true, nowMs: 0 });
  expect(status?.conditions).toEqual([
    ready,
    expect.objectContaining({ type: "NetworkUnavailable", status: "False", reason: "RouteCreated" }),
  ]);
  const known = { ...node, status } as Node;
  expect(planNetworkCondition(known, { hasRoute: true, nowMs: 1 })).toBeUndefined();
  expect(planNetworkCondition(known, { hasRoute: false, nowMs: 1 })?.conditions?.at(-1)).toMatchObject({
    status: "True",
    reason: "NoRouteCreated",
  });
});
