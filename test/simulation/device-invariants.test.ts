import type { Pod } from "@kintsugi/api";
import { expect, test } from "vitest";
import { aNode, aPod, openWorld } from "./planted-world.ts";

const result = (device: string, more: object = {}) => ({
  request: "gpu",
  driver: "gpu.example.com",
  pool: "n1",
  device,
  ...more,
});
const key = (name: string) => `resource.k8s.io/resourceclaims/default/${name}`;

function aClaim(name: string, results?: readonly object[], consumers: readonly string[] = []) {
  const reservedFor = consumers.map((uid) => ({ resource: "pods", name: uid, uid }));
  return {
    metadata: { namespace: "default", name, uid: `uid-of-${name}` },
    spec: {},
    ...(results === undefined ? {} : { status: { allocation: { devices: { results } }, reservedFor } }),
  };
}

test("devices-are-allocated-once: a device of two claims is detected, and a device that moves from claim to claim is not", async () => {
  const world = openWorld();
  await world.put(key("a"), aClaim("a", [result("g0"), result("g1")]));
  await world.put(key("b"), aClaim("b", [result("g2")]));
  await world.put(key("a"), aClaim("a"));
  await world.put(key("c"), aClaim("c", [result("g0")]));
  expect(world.invariants.violation).toBeUndefined();
  await world.put(key("d"), aClaim("d", [result("g2")]));
  expect(world.found()).toEqual([
    "devices-are-allocated-once",
    "device gpu.example.com/n1/g2 is allocated to default/b and default/d",
  ]);
});

test("devices-are-allocated-once: admin access and shares allocate no device exclusively", async () => {
  const world = openWorld();
  await world.put(key("a"), aClaim("a", [result("g0"), result("g1", { shareID: "s1" })]));
  await world.put(key("b"), aClaim("b", [result("g0", { adminAccess: true }), result("g1", { shareID: "s2" })]));
  expect(world.invariants.violation).toBeUndefined();
});

const using: Partial<Pod["spec"]> = { resourceClaims: [{ name: "gpu", resourceClaimName: "a" }] };

test.each([
  ["default/web is bound, and its claim a has no devices", aClaim("a")],
  ["default/web is bound, and its claim a is not reserved for it", aClaim("a", [result("g0")], ["other"])],
  [undefined, aClaim("a", [result("g0")], ["uid-of-web"])],
])("pods-wait-for-their-devices: %s", async (message, claim) => {
  const world = openWorld();
  await world.putNode(aNode("n1"));
  await world.put(key("a"), claim);
  await world.putPod(aPod("web", { spec: using }));
  await world.putPod(aPod("web", { spec: using, nodeName: "n1" }));
  const found = world.invariants.violation;
  expect(found === undefined ? undefined : [found.invariant, found.message]).toEqual(
    message === undefined ? undefined : ["pods-wait-for-their-devices", message],
  );
});
