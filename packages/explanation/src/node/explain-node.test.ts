import type { Node, PodDisruptionBudget } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { explainObject } from "../explain.ts";
import { aNode, aPod, aSilentNode, at, aWorld, codesOf, only, tolerated } from "../testing/objects.ts";
import type { Objects } from "../world.ts";

const explainNode = (node: Node, objects: Objects = {}) =>
  explainObject("nodes", node, { world: aWorld({ nodes: [node, aNode("other")], ...objects }) });
const leaseOf = (node: string, seconds: number) => ({
  metadata: { name: node, namespace: "kube-node-lease" },
  spec: { renewTime: at(seconds).replace("Z", ".000000Z") },
});

test("a node that is ready and renews its Lease waits for nothing", () => {
  expect(explainNode(aNode("n1"), { leases: [leaseOf("n1", -9)] })).toMatchObject({ state: "ready", reasons: [] });
});

test("a kubelet that is late has time until the end of the grace period", () => {
  const reason = only(explainNode(aNode("n1"), { leases: [leaseOf("n1", -30)] }).reasons);
  expect(reason).toMatchObject({ code: "NodeLate", due: { at: at(20), timer: "node grace period" } });
});

test("a new node has time until the end of its startup grace period", () => {
  const node: Node = { metadata: { name: "n1", creationTimestamp: at(-10) } };
  expect(only(explainNode(node).reasons)).toMatchObject({ code: "NodeNotReady", due: { at: at(50) } });
});

test("a kubelet that is not ready states the reason", () => {
  const condition = { type: "Ready", status: "False" as const, message: "container runtime is down" };
  const taints = [{ key: "node.kubernetes.io/not-ready", effect: "NoExecute" as const }];
  const node: Node = { metadata: { name: "n1" }, spec: { taints }, status: { conditions: [condition] } };
  expect(only(explainNode(node).reasons).because).toBe("Node n1 is not ready: container runtime is down.");
});

test("the pods of a silent node are evicted in groups, each at its time", () => {
  const pod = (name: string, seconds?: number, deletionTimestamp?: string) =>
    aPod(name, {
      metadata: deletionTimestamp === undefined ? {} : { deletionTimestamp },
      spec: {
        ...aPod(name).spec,
        tolerations: [{ ...tolerated, tolerationSeconds: seconds } as typeof tolerated],
      },
    });
  const pods = [pod("a", 300), pod("b", 60), pod("c", 300), pod("d"), pod("e", 0, at(-5))];
  const found = explainNode(aSilentNode("n1"), { pods, leases: [leaseOf("n1", -85)] });
  expect(codesOf(found)).toEqual(["KubeletSilent", "NodeSilent", "PodLeaves", "PodLeaves", "PodStays"]);
  expect(found.reasons.map(({ because }) => because)).toEqual([
    "1 pod (default/e) was deleted, but the node cannot confirm that it has stopped.",
    "Node n1 does not respond: its kubelet sent its last heartbeat at 2025-12-31T23:58:35Z.",
    "1 pod (default/b) has to be evicted from the node, unless it becomes ready first.",
    "2 pods (default/a and default/c) have to be evicted from the node, unless it becomes ready first.",
    "1 pod (default/d) tolerates the node's taints without a limit, and remains.",
  ]);
  expect(found.reasons.map(({ due }) => due?.at)).toEqual([undefined, undefined, at(21), at(261), undefined]);
});

describe("paused evictions", () => {
  test("have the controller's message", () => {
    const message = "3 of 4 nodes in the zone are not Ready.";
    const paused = {
      type: "kintsugi.dev/EvictionsPaused",
      status: "True" as const,
      message,
      lastTransitionTime: at(-7),
    };
    const found = explainNode(aNode("n1", { ready: "Unknown", conditions: [paused] }));
    expect(found.reasons[0]).toMatchObject({
      code: "EvictionsPaused",
      because: "The pods of node n1 are not evicted: 3 of 4 nodes in the zone are not Ready.",
      since: at(-7),
    });
  });

  test("that wait for their turn are reported as waiting, and evictions that have begun are not", () => {
    const nodes = [aNode("a"), aNode("b")];
    const waits = explainNode(aNode("n1", { ready: "Unknown" }), { nodes });
    expect(codesOf(waits)).toEqual(["NodeSilent", "EvictionsWait"]);
    expect(waits.reasons[1]?.because).toContain("in each zone, evictions begin on one node every 10s");
    expect(codesOf(explainNode(aSilentNode("n1"), { nodes }))).toEqual(["NodeSilent"]);
  });

  test("are detected without a condition, by the controller's own rule", () => {
    const node = aNode("n1", { ready: "Unknown" });
    const all = [node, aNode("n2", { ready: "Unknown" }), aNode("n3", { ready: "False" }), aNode("n4")];
    const found = explainObject("nodes", node, { world: aWorld({ nodes: all }) });
    expect(found.reasons[0]?.because).toContain("3 of 4 nodes in the zone are not Ready");
    const down = explainObject("nodes", node, { world: aWorld({ nodes: [node] }) });
    expect(down.reasons[0]?.because).toContain("No node is Ready");
  });
});

describe("a node under maintenance", () => {
  const draining = { type: "DrainInProgress", status: "True" as const, lastTransitionTime: at(-20) };
  const budget: PodDisruptionBudget = {
    metadata: { name: "web", namespace: "default" },
    spec: { selector: { matchLabels: { app: "web" } }, minAvailable: 2 },
    status: { disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2, expectedPods: 3 },
  };

  test("that drains names the budget that blocks it, and the remaining pods", () => {
    const pods = [aPod("a"), aPod("d", { owner: ["DaemonSet", "agent"] })];
    const node = aNode("n1", { unschedulable: true, conditions: [draining] });
    const found = explainNode(node, { pods, poddisruptionbudgets: [budget] });
    expect(codesOf(found)).toEqual(["BudgetExhausted", "Draining"]);
    expect(found.reasons[0]).toMatchObject({ awaits: "1 more healthy pod" });
    expect(found.reasons[1]?.because).toBe("Node n1 is being drained: 1 pod remains to be evicted (default/a).");
  });

  test("that is drained, was drained before, or is only cordoned", () => {
    const done = { type: "Drained", status: "True" as const, lastTransitionTime: at(-2) };
    const reason = (traits: object) => only(explainNode(aNode("n1", traits)).reasons).because;
    expect(reason({ unschedulable: true, conditions: [done] })).toBe("Node n1 is drained.");
    expect(reason({ conditions: [done] })).toContain("is outdated");
    expect(reason({ unschedulable: true })).toContain("is cordoned");
    const stopped = { type: "DrainInProgress", status: "False" as const, reason: "KintsugiDrainInterrupted" };
    expect(reason({ unschedulable: true, conditions: [stopped] })).toContain("because its drain was interrupted");
  });
});

test("taints of other programs are listed, and taints that repeat a condition are not", () => {
  const taints = [
    { key: "dedicated", value: "gpu", effect: "NoSchedule" as const },
    { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" as const },
  ];
  expect(only(explainNode(aNode("n1", { taints })).reasons)).toMatchObject({
    code: "Tainted",
    remedies: [{ does: "Remove the taint", command: "kubectl taint node n1 dedicated:NoSchedule-" }],
  });
});

test("a node under pressure has the message of its condition", () => {
  const pressure = {
    type: "MemoryPressure",
    status: "True" as const,
    message: "kubelet has insufficient memory available",
  };
  expect(only(explainNode(aNode("n1", { conditions: [pressure] })).reasons).because).toBe(
    "Node n1 has MemoryPressure: kubelet has insufficient memory available.",
  );
});
