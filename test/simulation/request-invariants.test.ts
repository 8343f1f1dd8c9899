import { describe, expect, test } from "vitest";
import { aNode, aPod, aSet, openWorld } from "./planted-world.ts";

const controllers = "system:kube-controller-manager";
const pod = "/api/v1/namespaces/default/pods/a";

describe("S7: a write that names a UID", () => {
  test("and lands on another object of that name", async () => {
    const world = openWorld();
    const meant = { preconditions: { uid: "one" } };
    await world.granted({
      method: "DELETE",
      path: pod,
      user: controllers,
      body: meant,
      answer: { metadata: { uid: "one" } },
    });
    await world.granted({
      method: "DELETE",
      path: pod,
      user: controllers,
      body: meant,
      answer: { details: { uid: "one" } },
    });
    expect(world.invariants.violation).toBeUndefined();
    const body = { metadata: { uid: "one" } };
    await world.granted({
      method: "PATCH",
      path: `${pod}/status`,
      user: controllers,
      body,
      answer: { metadata: { uid: "two" } },
    });
    expect(world.found()).toEqual(["S7", `PATCH ${pod}/status meant one and hit two`]);
  });
});

describe("S18: the garbage collector", () => {
  const path = "/api/v1/namespaces/default/configmaps/a";
  const owned = { metadata: { uid: "a", ownerReferences: [{ uid: "set" }] } };
  const collect = { method: "DELETE", path, user: controllers, body: { preconditions: { resourceVersion: "7" } } };

  test("takes what an owner still has", async () => {
    const world = openWorld();
    await world.putSet(aSet(1));
    await world.put("core/configmaps/default/a", owned);
    await world.granted(collect, () => world.remove("core/configmaps/default/a", owned));
    expect(world.found()).toEqual([
      "S18",
      `${path} was collected, and its owner apps/replicasets/default/web is there`,
    ]);
  });

  test("takes what has no owner any more, or one in another namespace, or goes before its owner", async () => {
    const lost = openWorld();
    await lost.put("core/configmaps/default/a", owned);
    await lost.granted(collect);
    expect(lost.invariants.violation).toBeUndefined();
    await lost.put("apps/replicasets/elsewhere/web", aSet(1));
    await lost.granted(collect);
    expect(lost.invariants.violation).toBeUndefined();
    const going = openWorld();
    await going.put("apps/replicasets/default/web", {
      metadata: { uid: "set", deletionTimestamp: "2026-01-01T00:00:00Z" },
    });
    await going.put("core/configmaps/default/a", owned);
    await going.granted(collect);
    expect(going.invariants.violation).toBeUndefined();
    expect(going.invariants.checksByName["S18"]).toBe(1);
  });

  test("is not judged by what other controllers delete", async () => {
    const world = openWorld();
    await world.putSet(aSet(0));
    await world.put("core/configmaps/default/a", owned);
    await world.granted({ ...collect, body: { preconditions: { uid: "a" } } });
    expect(world.invariants.violation).toBeUndefined();
  });
});

describe("S19: a node's identity", () => {
  const user = "system:node:n1";
  const nodesOwn = [
    ["POST", "/api/v1/nodes", { metadata: { name: "n1" } }],
    ["PATCH", "/api/v1/nodes/n1/status", {}],
    ["PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1", {}],
    ["PATCH", `${pod}/status`, {}],
    ["DELETE", pod, { gracePeriodSeconds: 0 }],
    ["POST", "/api/v1/namespaces/default/events", {}],
  ] as const;
  const notItsOwn = [
    ["POST", "/api/v1/nodes", { metadata: { name: "n2" } }],
    ["PATCH", "/api/v1/nodes/n2/status", {}],
    ["DELETE", "/api/v1/nodes/n1", {}],
    ["PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n2", {}],
    ["PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/n1", {}],
    ["PATCH", "/api/v1/namespaces/default/pods/b/status", {}],
    ["POST", "/api/v1/namespaces/default/pods", { spec: { nodeName: "n2" } }],
    ["PUT", "/apis/apps/v1/namespaces/default/replicasets/web", {}],
  ] as const;

  async function aWorldWithTwoNodes() {
    const world = openWorld();
    for (const node of ["n1", "n2"]) await world.putNode(aNode(node));
    await world.putPod(aPod("a", { nodeName: "n1" }));
    await world.putPod(aPod("b", { nodeName: "n2" }));
    return world;
  }

  test.each(nodesOwn)("is granted %s %s", async (method, path, body) => {
    const world = await aWorldWithTwoNodes();
    await world.granted({ method, path, user, body });
    expect(world.invariants.violation).toBeUndefined();
    expect(world.invariants.checksByName["S19"]).toBe(1);
  });

  test.each(notItsOwn)("must not be granted %s %s", async (method, path, body) => {
    const world = await aWorldWithTwoNodes();
    await world.granted({ method, path, user, body });
    expect(world.found()).toEqual(["S19", `${user} was granted ${method} ${path}`]);
  });
});
