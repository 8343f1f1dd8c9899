import type { Node, Pod } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aNode, aPod } from "../../testing/test-cluster.ts";
import { type CollectionReason, missingNodes, planPodGc } from "./plan.ts";

const nowMs = 1_767_225_600_000;
const outOfService = [
  { key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" as const },
];
const byName = (...nodes: Node[]) => new Map(nodes.map((node) => [node.metadata.name ?? "", node]));

function disrupted(reason: string, phase: "Failed" | "Running"): Pod {
  const pod = aPod("p", { node: "n", phase });
  return { ...pod, status: { ...pod.status, conditions: [{ type: "DisruptionTarget", status: "True", reason }] } };
}

const cases: { name: string; pod: Pod; node?: Node; gone?: string; expected: CollectionReason | undefined }[] = [
  {
    name: "a running pod on an existing node remains",
    pod: aPod("p", { node: "n" }),
    node: aNode("n"),
    expected: undefined,
  },
  { name: "a pod of a removed node is deleted", pod: aPod("p", { node: "n" }), gone: "n", expected: "orphaned" },
  {
    name: "a pod of a node that is only missing in the cache remains",
    pod: aPod("p", { node: "n" }),
    expected: undefined,
  },
  {
    name: "a terminating pod without a node is deleted",
    pod: aPod("p", { deletedMs: nowMs }),
    expected: "unscheduled",
  },
  {
    name: "a pod that was marked with its node is deleted, also when the node has returned",
    pod: disrupted("DeletionByPodGC", "Failed"),
    node: aNode("n"),
    expected: "orphaned",
  },
  {
    name: "a marked pod that runs remains",
    pod: disrupted("DeletionByPodGC", "Running"),
    node: aNode("n"),
    expected: undefined,
  },
  {
    name: "a pod that failed for another reason remains",
    pod: disrupted("TerminationByKubelet", "Failed"),
    node: aNode("n"),
    expected: undefined,
  },
  { name: "a pod that waits for a node remains", pod: aPod("p"), expected: undefined },
  {
    name: "a terminating pod of a node that is out of service and not Ready is deleted",
    pod: aPod("p", { node: "n", deletedMs: nowMs }),
    node: aNode("n", { ready: "Unknown", taints: outOfService }),
    expected: "out-of-service",
  },
  {
    name: "a terminating pod of a node that is out of service but Ready remains",
    pod: aPod("p", { node: "n", deletedMs: nowMs }),
    node: aNode("n", { taints: outOfService }),
    expected: undefined,
  },
  {
    name: "a terminating pod of a node that is only not Ready remains because its containers may still run",
    pod: aPod("p", { node: "n", deletedMs: nowMs }),
    node: aNode("n", { ready: "Unknown" }),
    expected: undefined,
  },
  {
    name: "a pod that is not terminating remains on a node that is out of service",
    pod: aPod("p", { node: "n" }),
    node: aNode("n", { ready: "Unknown", taints: outOfService }),
    expected: undefined,
  },
];

describe("pod garbage collection", () => {
  test.each(cases)("$name", ({ pod, node, gone, expected }) => {
    const input = { pods: [pod], nodes: byName(...(node ? [node] : [])), terminatedPodThreshold: 100 };
    const plan = planPodGc({ ...input, goneNodes: new Set(gone ? [gone] : []) });
    expect(plan.map(({ reason }) => reason)).toEqual(expected ? [expected] : []);
  });

  test("removes the oldest ended pods beyond the threshold, evicted pods first", () => {
    const ended = (name: string, ageMs: number, reason?: string): Pod => {
      const pod = aPod(name, { phase: "Failed", createdMs: nowMs - ageMs, node: "n" });
      return { ...pod, status: { ...pod.status, ...(reason ? { reason } : {}) } };
    };
    const pods = [
      ended("old", 9000),
      ended("older", 10_000),
      ended("evicted", 1000, "Evicted"),
      ended("new", 0),
      aPod("runs"),
    ];
    const input = { pods, nodes: byName(aNode("n")), goneNodes: new Set<string>() };
    const names = (terminatedPodThreshold: number) =>
      planPodGc({ ...input, terminatedPodThreshold }).map(({ pod }) => pod.metadata.name);
    expect(names(2)).toEqual(["evicted", "older"]);
    expect(names(4)).toEqual([]);
    expect(names(0)).toEqual([]);
  });

  test("looks up the nodes of bound pods only", () => {
    const pods = [aPod("a", { node: "gone" }), aPod("b", { node: "there" }), aPod("c")];
    expect(missingNodes(pods, byName(aNode("there")))).toEqual(new Set(["gone"]));
  });
});
