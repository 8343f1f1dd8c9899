import type { Pod, PodDisruptionBudget, ReplicaSet } from "@kintsugi/api";
import { expect, test } from "vitest";
import { aNode, aPod, aSet, openWorld } from "./planted-world.ts";

const second = 1000;
const controllerManager = "system:kube-controller-manager";

type World = ReturnType<typeof openWorld>;

function aPodOf(name: string, kind = "ReplicaSet"): Pod {
  const uid = kind === "ReplicaSet" ? "set" : `uid-of-${kind}`;
  const owner = { apiVersion: "apps/v1", kind, name: "web", uid, controller: true };
  return aPod(name, {
    nodeName: "n1",
    metadata: { ownerReferences: [owner] },
    conditions: [{ type: "Ready", status: "True" }],
  });
}

/** The set's record names the moving pod; "" for none. */
function putSet(
  world: World,
  moving: string,
  annotations: Record<string, string> = {},
  name = "web",
): Promise<unknown> {
  const set = aSet(3);
  const move = moving === "" ? {} : { move: { pod: moving, uid: `uid-of-${moving}` } };
  const record = JSON.stringify({ nodes: "mark", at: "2026-01-01T00:00:00Z", moved: [], ...move });
  const uid = name === "web" ? "set" : `uid-of-${name}`;
  const metadata = {
    ...set.metadata,
    name,
    uid,
    annotations: { "kintsugi.dev/rebalance-record": record, ...annotations },
  };
  return world.putSet({ ...set, metadata } as ReplicaSet);
}

/** A set of three pods, all Ready on one node. */
async function aWorld(): Promise<World> {
  const world = openWorld();
  for (const name of ["n1", "n2"]) await world.putNode(aNode(name));
  await putSet(world, "");
  for (const name of ["a", "b", "c"]) await world.putPod(aPodOf(name));
  return world;
}

const leaving = (pod: Pod): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
});

/** Makes the API server grant the eviction of a pod. */
const evict = (world: World, pod: Pod, user = controllerManager) =>
  world.granted({ method: "POST", path: `/api/v1/namespaces/default/pods/${pod.metadata.name}/eviction`, user }, () =>
    world.putPod(leaving(pod)),
  );

const report = (world: World, uid: string) =>
  world.put("core/events/default/x", { metadata: { name: "x" }, reason: "Rebalanced", involvedObject: { uid } });

/** Writes the record, then the eviction and the event, in the right order. */
async function move(world: World, name: string, isReported = true): Promise<void> {
  await putSet(world, name);
  await evict(world, aPodOf(name));
  if (isReported) await report(world, `uid-of-${name}`);
}

/** Removes the moved pod, and creates its replacement, which is Ready. */
async function replace(world: World, name: string, by: string): Promise<void> {
  await world.removePod(leaving(aPodOf(name)));
  await world.putPod(aPodOf(by));
  await putSet(world, "");
}

const putBudget = (world: World, minAvailable: number) =>
  world.put("policy/poddisruptionbudgets/default/web", {
    metadata: { name: "web", namespace: "default", uid: "budget" },
    spec: { minAvailable, selector: {} },
    status: { disruptionsAllowed: 0 },
  } as PodDisruptionBudget);

test("moves with their records, one after the other after the cool-down, are accepted", async () => {
  const world = await aWorld();
  await putBudget(world, 2);
  for (const [name, by] of [
    ["a", "d"],
    ["b", "e"],
  ] as const) {
    await move(world, name);
    await world.live(3 * second);
    await replace(world, name, by);
    await world.live(22 * second);
  }
  expect(world.invariants.violation).toBeUndefined();
});

test("moves-respect-budgets: a move of a pod that a budget protects; a user's eviction is not a rebalance move", async () => {
  const world = await aWorld();
  await putBudget(world, 3);
  await world.live(6 * second);
  await evict(world, aPodOf("a"), "admin");
  expect(world.invariants.violation).toBeUndefined();
  await world.live(6 * second);
  await move(world, "b");
  expect(world.found()).toEqual([
    "moves-respect-budgets",
    "pod default/b was evicted, and 1 pods remain, but budget default/web requires 3",
  ]);
});

test("moves-are-permitted: a move that no record has named", async () => {
  const world = await aWorld();
  await putSet(world, "b");
  await evict(world, aPodOf("a"));
  expect(world.found()).toEqual([
    "moves-are-permitted",
    "pod default/a is moved, but no record of default/web has named it",
  ]);
});

test("moves-are-permitted: a pod whose owner does not permit it", async () => {
  const world = await aWorld();
  await putSet(world, "a", { "kintsugi.dev/rebalance": "false" });
  await evict(world, aPodOf("a"));
  expect(world.found()).toEqual(["moves-are-permitted", "pod default/a is moved, but its ReplicaSet has false"]);
});

test.each(["DaemonSet", "Node"])("moves-are-permitted: a pod of a %s", async (kind) => {
  const world = await aWorld();
  await world.removePod(aPodOf("a"));
  await world.putPod(aPodOf("d", kind));
  await evict(world, aPodOf("d", kind));
  expect(world.found()).toEqual(["moves-are-permitted", `pod default/d, which belongs to a ${kind}, is moved`]);
});

test.each([
  [undefined, ["moves-are-permitted", "pod default/d is moved, but its StatefulSet has no annotation"]],
  ["true", [undefined, undefined]],
])("moves-are-permitted: a pod of a StatefulSet whose annotation is %s", async (choice, found) => {
  const world = await aWorld();
  const record = JSON.stringify({ move: { uid: "uid-of-d" } });
  const annotations = { "kintsugi.dev/rebalance-record": record };
  await world.removePod(aPodOf("a"));
  await world.putPod(aPodOf("d", "StatefulSet"));
  await world.put("apps/statefulsets/default/web", {
    metadata: {
      name: "web",
      namespace: "default",
      uid: "uid-of-StatefulSet",
      annotations: choice === undefined ? annotations : { ...annotations, "kintsugi.dev/rebalance": choice },
    },
    spec: { replicas: 1 },
  });
  await evict(world, aPodOf("d", "StatefulSet"));
  expect(world.found()).toEqual(found);
});

test("moves-run-one-by-one: a move while another owner's move has been in progress for longer than a cache may be stale", async () => {
  const world = await aWorld();
  await putSet(world, "x", {}, "other");
  await world.live(14 * second);
  await move(world, "a");
  expect(world.invariants.violation).toBeUndefined();
  await replace(world, "a", "d");
  await world.live(12 * second);
  await move(world, "b");
  expect(world.found()).toEqual([
    "moves-run-one-by-one",
    "pod default/b is moved while a move of default/other is in progress",
  ]);
});

test("moves-run-one-by-one: a move while another pod of the owner is missing", async () => {
  const world = await aWorld();
  await world.live(62 * second);
  await move(world, "a");
  await world.removePod(leaving(aPodOf("a")));
  await world.live(12 * second);
  await move(world, "b");
  expect(world.found()).toEqual([
    "moves-run-one-by-one",
    "pod default/b is moved while another pod of default/web is missing",
  ]);
});

test("moves-are-limited: a second move within the cool-down", async () => {
  const world = await aWorld();
  await world.live(12 * second);
  await move(world, "a");
  await world.live(4 * second);
  await replace(world, "a", "d");
  await move(world, "b");
  expect(world.found()).toEqual([
    "moves-are-limited",
    "pod default/b is moved 4000 ms after another pod of default/web",
  ]);
});

test("moves-are-limited: moves without an end; other nodes permit a new start", async () => {
  const world = await aWorld();
  const names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];
  const turn = async (at: number) => {
    await move(world, names[at] ?? "");
    await replace(world, names[at] ?? "", names[at + 3] ?? "");
    await world.live(22 * second);
  };
  for (const at of [0, 1, 2]) await turn(at);
  await world.putNode(aNode("n1", { cordoned: true }));
  for (const at of [3, 4, 5, 6]) await turn(at);
  expect(world.invariants.violation).toBeUndefined();
  await turn(7);
  expect(world.found()).toEqual([
    "moves-are-limited",
    "pod default/h is the 5th that is moved from default/web, which has 3 pods",
  ]);
});

test("moves-are-reported: a move without an event, unless a fault has disturbed the cluster", async () => {
  const world = await aWorld();
  await world.live(2 * second);
  await move(world, "a");
  await world.live(62 * second);
  await replace(world, "a", "d");
  await move(world, "b", false);
  world.quietPeriod.disturb()();
  await world.live(62 * second);
  await replace(world, "b", "e");
  expect(world.invariants.violation).toBeUndefined();
  await move(world, "c", false);
  await world.removePod(leaving(aPodOf("c")));
  await world.live(62 * second);
  expect(world.found()).toEqual([
    "moves-are-reported",
    "pod default/c was moved 62000 ms ago, and no event reports it",
  ]);
});
