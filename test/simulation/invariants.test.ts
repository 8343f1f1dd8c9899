import { readFileSync } from "node:fs";
import { profiles } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import {
  QuietPeriod,
  ViewClock,
  type Invariant,
  invariantList,
  Known,
  SteadyClocks,
  WorkingNodes,
} from "@kintsugi/simulation";
import { describe, expect, test } from "vitest";
import { aNode, aPod, aSet, aTaint, openWorld } from "./planted-world.ts";

const second = 1000;
const minute = 60 * second;

type World = ReturnType<typeof openWorld>;

describe("a planted violation of a simulation's invariants is detected", () => {
  test("a run without faults has no violation, and its checks are counted by name", async () => {
    const world = openWorld();
    await world.putNode(aNode("n1"));
    await world.putSet(aSet(1));
    await world.putPod(aPod("a", { cpu: "1", owned: true }));
    await world.putPod(aPod("a", { cpu: "1", owned: true, nodeName: "n1" }));
    await world.putPod(aPod("a", { cpu: "1", owned: true, nodeName: "n1", restarts: 1, ip: "10.0.0.1" }));
    expect(world.invariants.violation).toBeUndefined();
    const { checksByName, checks } = world.invariants;
    expect(checksByName).toMatchObject({
      "revisions-rise": 5,
      "uids-are-unique": 5,
      "bindings-hold": 1,
      "nodes-are-not-overcommitted": 1,
      "pods-are-bound-to-allowed-nodes": 1,
      "owners-have-no-surplus-pods": 1,
      "ended-pods-stay-ended": 4,
      "pod-addresses-are-unique": 1,
      "evictions-are-rate-limited": 0,
    });
    expect(checks).toBe(Object.values(checksByName).reduce((sum, count) => sum + count, 0));
  });

  test("uids-are-unique: a UID that is used again, and an object whose UID changes", async () => {
    const back = openWorld();
    await back.putPod(aPod("a", { uid: "one" }));
    await back.removePod(aPod("a", { uid: "one" }));
    await back.putPod(aPod("b", { uid: "one" }));
    expect(back.found()).toEqual(["uids-are-unique", "core/pods/default/b got the UID one, which another object had"]);
    const other = openWorld();
    await other.putPod(aPod("a", { uid: "one" }));
    await other.putPod(aPod("a", { uid: "two" }));
    expect(other.found()).toEqual(["uids-are-unique", "core/pods/default/a was one and became two"]);
  });

  test("deletions-are-final: a deletion that is revoked, a deletion that is postponed, and an object that is removed with its finalizers", async () => {
    const [soon, late] = ["2026-01-01T00:00:30Z", "2026-01-01T00:01:00Z"];
    const back = openWorld();
    await back.putPod(aPod("a", { metadata: { deletionTimestamp: soon } }));
    await back.putPod(aPod("a"));
    expect(back.found()).toEqual([
      "deletions-are-final",
      "core/pods default/a was being deleted, and is no longer being deleted",
    ]);
    const off = openWorld();
    await off.putPod(aPod("a", { metadata: { deletionTimestamp: late } }));
    await off.putPod(aPod("a", { metadata: { deletionTimestamp: soon } }));
    expect(off.invariants.violation).toBeUndefined();
    await off.putPod(aPod("a", { metadata: { deletionTimestamp: late } }));
    expect(off.found()).toEqual([
      "deletions-are-final",
      `the deletion of core/pods default/a was postponed from ${soon} to ${late}`,
    ]);
    const held = openWorld();
    await held.putPod(aPod("a", { metadata: { finalizers: ["example.com/hold"] } }));
    await held.removePod(aPod("a", { metadata: { finalizers: ["example.com/hold"] } }));
    expect(held.found()).toEqual([
      "deletions-are-final",
      "core/pods default/a was removed with the finalizers example.com/hold",
    ]);
  });

  test("terminating-namespaces-stay-closed: a new object in a namespace that is being deleted", async () => {
    const world = openWorld();
    const namespace = { metadata: { name: "default" } };
    await world.put("core/namespaces/_/default", namespace);
    await world.putPod(aPod("a"));
    await world.put("core/namespaces/_/default", {
      metadata: { name: "default", deletionTimestamp: "2026-01-01T00:00:00Z" },
    });
    await world.putPod(aPod("a", { restarts: 1 }));
    expect(world.invariants.violation).toBeUndefined();
    await world.putPod(aPod("b"));
    expect(world.found()).toEqual([
      "terminating-namespaces-stay-closed",
      "core/pods/default/b was created in a namespace that is being deleted",
    ]);
  });

  test("bindings-hold: a pod that moves to another node", async () => {
    const world = openWorld();
    await world.putNode(aNode("n1"));
    await world.putNode(aNode("n2"));
    await world.putPod(aPod("a", { nodeName: "n1" }));
    await world.putPod(aPod("a", { nodeName: "n2" }));
    expect(world.found()).toEqual(["bindings-hold", 'pod default/a moved from n1 to "n2"']);
  });

  test("nodes-are-not-overcommitted: pods that request more than their node has, by cpu and by number", async () => {
    const byCpu = openWorld();
    await byCpu.putNode(aNode("n1"));
    await byCpu.putPod(aPod("a", { nodeName: "n1", cpu: "1500m" }));
    await byCpu.putPod(aPod("b", { nodeName: "n1", cpu: "600m" }));
    expect(byCpu.found()).toEqual(["nodes-are-not-overcommitted", "n1 has 2000 of cpu, but its pods request 2100"]);
    const byNumber = openWorld();
    await byNumber.putNode(aNode("n1"));
    for (const name of ["a", "b", "c", "d"]) await byNumber.putPod(aPod(name, { nodeName: "n1" }));
    expect(byNumber.found()).toEqual(["nodes-are-not-overcommitted", "n1 has 3 of pods, but its pods request 4"]);
  });

  test("host-ports-are-unique: two pods that use the same port of their node, on any address", async () => {
    const world = openWorld();
    await world.putNode(aNode("n1"));
    await world.putNode(aNode("n2"));
    await world.putPod(aPod("a", { nodeName: "n1", hostPort: 80 }));
    await world.putPod(aPod("b", { nodeName: "n2", hostPort: 80 }));
    await world.putPod(aPod("c", { nodeName: "n1", hostPort: 81 }));
    expect(world.invariants.violation).toBeUndefined();
    await world.putPod(aPod("d", { nodeName: "n1", hostPort: 80 }));
    expect(world.found()).toEqual(["host-ports-are-unique", "pods default/a and default/d both have port 80 of n1"]);
  });

  test("nodes-are-not-overcommitted: a pod that has ended, or no longer exists, releases its resources", async () => {
    const world = openWorld();
    await world.putNode(aNode("n1"));
    await world.putPod(aPod("a", { nodeName: "n1", cpu: "2" }));
    await world.putPod(aPod("a", { nodeName: "n1", cpu: "2", phase: "Succeeded" }));
    await world.putPod(aPod("b", { nodeName: "n1", cpu: "2" }));
    await world.removePod(aPod("b", { nodeName: "n1", cpu: "2" }));
    await world.putPod(aPod("c", { nodeName: "n1", cpu: "2" }));
    expect(world.invariants.violation).toBeUndefined();
  });

  test("nodes-are-not-overcommitted: a node that has just been removed keeps its capacity; pods-are-bound-to-allowed-nodes: until the removal is known", async () => {
    const world = openWorld();
    await world.putNode(aNode("n1"));
    await world.remove("core/nodes/_/n1", aNode("n1"));
    for (const name of ["a", "b"]) {
      await world.putPod(aPod(name));
      expect(world.invariants.violation).toBeUndefined();
      await world.putPod(aPod(name, { nodeName: "n1" }));
      await world.live(16 * second);
    }
    expect(world.found()).toEqual([
      "pods-are-bound-to-allowed-nodes",
      "pod default/b was bound to n1: there is no such node",
    ]);
    const never = openWorld();
    await never.putPod(aPod("a", { nodeName: "n2" }));
    expect(never.found()).toEqual(["nodes-are-not-overcommitted", "a pod was bound to n2, which never existed"]);
  });

  test("pods-are-bound-to-allowed-nodes: a pod bound to a node that was cordoned or tainted long enough for every cache to have it", async () => {
    const tainted = openWorld();
    await tainted.putNode(aNode("n1"));
    await tainted.putNode(aNode("n1", { taints: [aTaint("NoSchedule")] }));
    await tainted.live(10 * second);
    await tainted.bind("a", "n1");
    expect(tainted.invariants.violation).toBeUndefined();
    await tainted.live(10 * second);
    await tainted.bind("b", "n1");
    expect(tainted.found()).toEqual([
      "pods-are-bound-to-allowed-nodes",
      "pod default/b was bound to n1: the node has the taint node.kubernetes.io/unreachable:NoSchedule",
    ]);
    const cordoned = openWorld();
    await cordoned.putNode(aNode("n1", { cordoned: true }));
    await cordoned.bind("a", "n1");
    expect(cordoned.found()).toEqual([
      "pods-are-bound-to-allowed-nodes",
      "pod default/a was bound to n1: the node is cordoned",
    ]);
  });

  test.each([
    ["whose line was cut", ({ wire }: World) => wire.cut(), ({ wire }: World) => wire.heal()],
    [
      "that was paused",
      ({ scheduler }: World) => (scheduler.isPaused = true),
      ({ scheduler }: World) => (scheduler.isPaused = false),
    ],
  ])(
    "pods-are-bound-to-allowed-nodes: a scheduler %s can have been uninformed for 15 s only after a pause",
    async (_, begin, end) => {
      const world = openWorld();
      await world.putNode(aNode("n1"));
      begin(world);
      await world.putNode(aNode("n1", { taints: [aTaint("NoSchedule")] }));
      await world.live(minute);
      end(world);
      await world.live(29 * second);
      await world.bind("a", "n1");
      expect(world.invariants.violation).toBeUndefined();
      await world.live(2 * second);
      await world.bind("b", "n1");
      expect(world.found()[0]).toBe("pods-are-bound-to-allowed-nodes");
    },
  );

  test("pods-are-bound-to-allowed-nodes: a pod bound to a node that it does not select; a pod that tolerates it, or was created there, may be there", async () => {
    const world = openWorld();
    await world.putNode(aNode("n1", { taints: [aTaint("NoExecute")] }));
    await world.putPod(aPod("made-there", { nodeName: "n1" }));
    const spec = { tolerations: [{ operator: "Exists" as const }] };
    await world.putPod(aPod("tolerant", { spec }));
    await world.putPod(aPod("tolerant", { spec, nodeName: "n1" }));
    expect(world.invariants.violation).toBeUndefined();
    const choosy = { ...spec, nodeSelector: { disk: "ssd" } };
    await world.putPod(aPod("choosy", { spec: choosy }));
    await world.putPod(aPod("choosy", { spec: choosy, nodeName: "n1" }));
    expect(world.found()).toEqual([
      "pods-are-bound-to-allowed-nodes",
      "pod default/choosy was bound to n1: the pod does not select the node",
    ]);
  });

  test("ended-pods-stay-ended: restarts that are no longer counted, and a pod that restarts after its end", async () => {
    const forgotten = openWorld();
    await forgotten.putPod(aPod("a", { restarts: 3 }));
    await forgotten.putPod(aPod("a", { restarts: 2 }));
    expect(forgotten.found()).toEqual(["ended-pods-stay-ended", "pod default/a: restarts of main fell from 3 to 2"]);
    const risen = openWorld();
    await risen.putPod(aPod("a", { phase: "Failed" }));
    await risen.putPod(aPod("a", { phase: "Running" }));
    expect(risen.found()).toEqual(["ended-pods-stay-ended", "pod default/a was Failed and became Running"]);
  });

  test("pod-addresses-are-unique: an address that two live pods have for longer than a correction takes", async () => {
    const world = openWorld();
    await world.putNode(aNode("n1"));
    await world.putPod(aPod("a", { nodeName: "n1", ip: "10.0.0.1" }));
    await world.putPod(aPod("a", { nodeName: "n1", ip: "10.0.0.1", phase: "Succeeded" }));
    await world.putPod(aPod("b", { nodeName: "n1", ip: "10.0.0.1" }));
    await world.live(minute);
    await world.putPod(aPod("c", { nodeName: "n1", ip: "10.0.0.1" }));
    await world.live(10 * second);
    expect(world.invariants.violation).toBeUndefined();
    await world.live(10 * second);
    expect(world.found()).toEqual(["pod-addresses-are-unique", "default/b and default/c both have 10.0.0.1"]);
  });

  test("a loop of writes, at one instant or over time, ends the cluster", async () => {
    const crowd = openWorld();
    for (let i = 0; i <= 2000; i++) await crowd.put(`core/configmaps/default/c${i}`, { i });
    expect(crowd.found()[0]).toBe("no-write-loops");
    expect(crowd.ended).toBe(1);
    const pair = openWorld();
    for (let i = 0; i < 80; i++) {
      await pair.put("core/configmaps/default/c", { i });
      await pair.clock.advance(100);
    }
    expect(pair.found()[1]).toMatch(/^61 changes within 10000 ms of core\/configmaps\/default\/c/);
  });

  test("no-write-loops accepts an owner's status that follows each change of its dependents", async () => {
    const world = openWorld();
    for (let i = 0; i < 200; i++) {
      await world.put(`core/configmaps/default/owned-${i % 20}`, { i, metadata: { ownerReferences: [{ uid: "u" }] } });
      await world.put("core/configmaps/default/owner", { i, metadata: { uid: "u" } });
      await world.clock.advance(100);
    }
    expect(world.invariants.violation).toBeUndefined();
  });

  test.each([
    { what: "a budget's status", resource: "policy/poddisruptionbudgets" },
    { what: "a Service's list of endpoints", resource: "core/endpoints" },
    { what: "a slice", resource: "discovery.k8s.io/endpointslices" },
  ])(
    "no-write-loops accepts that $what follows each change of a pod, and reports a change without a cause",
    async ({ resource }) => {
      const world = openWorld();
      const metadata = { name: "b", namespace: "default" };
      const spec = { minAvailable: 1, selector: { matchLabels: { app: "nobody" } } };
      const telling = (i: number) => world.put(`${resource}/default/b`, { i, metadata, spec });
      for (let i = 0; i < 200; i++) {
        await world.put(`core/pods/default/p-${i % 20}`, { i, metadata: { name: `p-${i % 20}` } });
        await telling(i);
        await world.clock.advance(100);
      }
      expect(world.invariants.violation).toBeUndefined();
      for (let i = 0; i < 200; i++) await telling(i);
      expect(world.found()[0]).toBe("no-write-loops");
    },
  );

  test("no-write-loops reports one object that changes once a second for long", async () => {
    const world = openWorld();
    for (let i = 0; i < 200; i++) {
      await world.put("core/configmaps/default/c", { i });
      await world.clock.advance(1000);
    }
    expect(world.invariants.violation).toBeUndefined();
  });
});

/** Every check with its own description. */
function listed(): Pick<Invariant, "name" | "never">[] {
  const clock = new VirtualClock();
  const clocks = new SteadyClocks(clock);
  const quietPeriod = new QuietPeriod({ clock });
  const none = () => [];
  const known = new Known();
  const hears = new ViewClock({ clock, known, isCutOff: () => false });
  const context = {
    clock,
    clocks,
    viewClocks: { scheduler: hears, controllerManager: hears },
    working: new WorkingNodes(clock, []),
    quietPeriod,
    disks: () => [],
    copiesOfDisks: () => [],
    copies: none,
    levels: none,
    known,
    timers: profiles.fast,
    revision: 0,
  };
  return invariantList.map((make) => make(context));
}

test("the table in the README names every check, in the order of the list of checks", () => {
  const rows = listed().map(({ name, never }) => [name, never]);
  const readme = readFileSync(new URL("README.md", import.meta.url), "utf8");
  const [, table = ""] = readme.split("| check | never | number |\n| --- | --- | --- |\n");
  const [body = ""] = table.split("\n\n");
  expect(body.split("\n").map((row) => row.split(" | ").slice(0, 2))).toEqual(
    rows.map(([name, never]) => [`| ${name}`, never]),
  );
});

test("two checks never share a name, and each check and its function are named after the promise", () => {
  const names = listed().map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  const functions = invariantList.map((make) => make.name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
  expect(names).toEqual(functions);
});
