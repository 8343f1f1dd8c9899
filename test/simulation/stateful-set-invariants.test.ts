import { describe, expect, test } from "vitest";
import { aNode, aPod, openWorld } from "./planted-world.ts";

const minute = 60_000;
const path = "/api/v1/namespaces/default/pods/web-0";
const forced = { method: "DELETE", path, body: { gracePeriodSeconds: 0 } };
const controller = "system:kube-controller-manager";
const owner = { apiVersion: "apps/v1", kind: "StatefulSet", name: "web", uid: "set", controller: true };

type World = ReturnType<typeof openWorld>;

function identity(uid: string, nodeName: string) {
  return aPod("web-0", { uid, nodeName, metadata: { ownerReferences: [owner] } });
}

/** Web-0 of UID "one" runs on n1. */
async function aWorldWithIdentity(): Promise<World> {
  const world = openWorld();
  await world.putNode(aNode("n1"));
  await world.putNode(aNode("n2"));
  await world.putPod(identity("one", "n1"));
  world.happens("created", { id: "c1", pod: "web-0", uid: "one" });
  world.happens("started", { id: "c1", pod: "web-0", uid: "one" });
  return world;
}

/** Web-0 of UID "two" replaces it on n2. */
async function takeItsPlace(world: World): Promise<void> {
  await world.putPod(identity("two", "n2"));
  world.happens("created", { id: "c2", pod: "web-0", uid: "two", node: "n2" });
  world.happens("started", { id: "c2", pod: "web-0", uid: "two", node: "n2" });
}

describe("identities-run-once: one running pod of each identity of a StatefulSet", () => {
  const found = [
    "identities-run-once",
    "default/web-0/main#0 was started on n2 while default/web-0/main#0 of an earlier pod runs on n1",
  ];

  test("a controller that force-deletes a pod on a node that is not confirmed to be off", async () => {
    const world = await aWorldWithIdentity();
    await world.granted({ ...forced, user: controller }, () => world.removePod(identity("one", "n1")));
    expect(world.invariants.violation).toBeUndefined();
    await takeItsPlace(world);
    expect(world.found()).toEqual(found);
  });

  test("another owner's pod may have a second pod of the name, and so may the successor when the first has ended", async () => {
    const ended = await aWorldWithIdentity();
    ended.happens("stopped", { id: "c1", pod: "web-0", uid: "one" });
    await ended.removePod(identity("one", "n1"));
    await takeItsPlace(ended);
    expect(ended.invariants.violation).toBeUndefined();
    expect(ended.invariants.checksByName).toMatchObject({ "identities-run-once": 2 });
  });

  test("a user who forces the deletion is responsible for it", async () => {
    const world = await aWorldWithIdentity();
    await world.granted({ ...forced, user: "admin" }, () => world.removePod(identity("one", "n1")));
    await takeItsPlace(world);
    expect(world.invariants.violation).toBeUndefined();
  });

  const { metadata, ...node } = aNode("n1");
  const taint = { key: "node.kubernetes.io/out-of-service", effect: "NoExecute" as const, value: "x" };

  test.each([
    ["deletes the Node", (world: World) => world.remove("core/nodes/_/n1", { metadata, ...node })],
    ["marks it as out of service", (world: World) => world.putNode(aNode("n1", { taints: [taint] }))],
  ])("a user who %s confirms it, until long after the node has returned", async (what, declareOff) => {
    const world = await aWorldWithIdentity();
    await declareOff(world);
    await world.live(minute);
    await world.granted({ ...forced, user: controller }, () => world.removePod(identity("one", "n1")));
    await takeItsPlace(world);
    expect(world.invariants.violation).toBeUndefined();
    const late = await aWorldWithIdentity();
    await declareOff(late);
    const isSame = what === "marks it as out of service";
    await late.putNode({ ...node, metadata: isSame ? metadata : { ...metadata, uid: "another" } });
    await late.live(minute);
    await late.granted({ ...forced, user: controller }, () => late.removePod(identity("one", "n1")));
    await takeItsPlace(late);
    expect(late.found()).toEqual(found);
  });
});

describe("ordered-pods-start-in-order: the order of a StatefulSet", () => {
  const conditions = [{ type: "Ready", status: "True" as const }];

  async function aWorldWithSet(podManagementPolicy: "OrderedReady" | "Parallel") {
    const world = openWorld();
    await world.put("apps/statefulsets/default/db", {
      metadata: { name: "db", namespace: "default", uid: "set" },
      spec: { podManagementPolicy, serviceName: "db", selector: {}, template: { spec: { containers: [] } } },
    });
    const own = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db", uid: "set", controller: true };
    const put = (name: string, traits: Partial<Parameters<typeof aPod>[1]> = {}) =>
      world.putPod(aPod(name, { ...traits, metadata: { ownerReferences: [own] } }));
    return { world, put };
  }

  test("a pod waits for its predecessors", async () => {
    const { world, put } = await aWorldWithSet("OrderedReady");
    await put("db-0");
    await put("db-0", { conditions });
    await put("db-1");
    expect(world.invariants.violation).toBeUndefined();
    await put("db-2");
    expect(world.found()).toEqual([
      "ordered-pods-start-in-order",
      "pod default/db-2 was created, but core/pods/default/db-1 is not ready",
    ]);
  });

  test("a pod that was ready a moment ago may still count as ready, but not for long", async () => {
    const { world, put } = await aWorldWithSet("OrderedReady");
    await put("db-0", { conditions });
    await put("db-0");
    await put("db-1");
    expect(world.invariants.violation).toBeUndefined();
    await put("db-1", { conditions });
    await world.live(20_000);
    await put("db-2");
    expect(world.found()).toEqual([
      "ordered-pods-start-in-order",
      "pod default/db-2 was created, but core/pods/default/db-0 is not ready",
    ]);
  });

  test("a parallel set's pods do not wait", async () => {
    const { world, put } = await aWorldWithSet("Parallel");
    for (const name of ["db-0", "db-1"]) await put(name);
    expect(world.invariants.violation).toBeUndefined();
  });
});
