import { formatTimestamp, type Node, type Taint } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aNode } from "../../testing/test-cluster.ts";
import { type NoExecutePlan, planNoExecute, planTaints } from "./plan-taints.ts";

const nowMs = 1_767_225_600_000;
const timeAdded = formatTimestamp(nowMs);
const earlier = formatTimestamp(nowMs - 60_000);
const taint = (name: string, effect: Taint["effect"], added = timeAdded): Taint => ({
  key: `node.kubernetes.io/${name}`,
  effect,
  timeAdded: added,
});
const withCondition = (node: Node, type: string): Node => ({
  ...node,
  status: { conditions: [...(node.status?.conditions ?? []).filter((c) => c.type !== type), { type, status: "True" }] },
});

describe("the NoExecute taint of a node", () => {
  const cases: { name: string; node: Node; stopped?: boolean; expected: NoExecutePlan }[] = [
    { name: "is not wanted on a Ready node", node: aNode("n"), expected: { type: "keep" } },
    {
      name: "is removed from a node that is Ready again",
      node: aNode("n", { taints: [taint("unreachable", "NoExecute")] }),
      expected: { type: "remove" },
    },
    {
      name: "is unreachable when Ready is Unknown, and waits its turn",
      node: aNode("n", { ready: "Unknown" }),
      expected: { type: "set", key: "node.kubernetes.io/unreachable", rateLimited: true },
    },
    {
      name: "is not-ready when Ready is False, and waits its turn",
      node: aNode("n", { ready: "False" }),
      expected: { type: "set", key: "node.kubernetes.io/not-ready", rateLimited: true },
    },
    {
      name: "replaces the other taint immediately when the condition changes",
      node: aNode("n", { ready: "Unknown", taints: [taint("not-ready", "NoExecute")] }),
      expected: { type: "set", key: "node.kubernetes.io/unreachable", rateLimited: false },
    },
    {
      name: "is unchanged when it is correct",
      node: aNode("n", { ready: "Unknown", taints: [taint("unreachable", "NoExecute", earlier)] }),
      expected: { type: "keep" },
    },
    {
      name: "is removed while all zones are down",
      node: aNode("n", { ready: "Unknown", taints: [taint("unreachable", "NoExecute")] }),
      stopped: true,
      expected: { type: "remove" },
    },
    {
      name: "is not set while all zones are down",
      node: aNode("n", { ready: "Unknown" }),
      stopped: true,
      expected: { type: "keep" },
    },
    {
      name: "is not changed on a node that never reported",
      node: aNode("n", { ready: "none" }),
      expected: { type: "keep" },
    },
  ];
  test.each(cases)("$name", ({ node, stopped = false, expected }) => {
    expect(planNoExecute(node, stopped)).toEqual(expected);
  });
});

describe("the taints of a node", () => {
  const unreachable: NoExecutePlan = { type: "set", key: "node.kubernetes.io/unreachable", rateLimited: true };
  const foreign: Taint = { key: "dedicated", value: "db", effect: "NoExecute" };
  const cases: { name: string; node: Node; noExecute?: NoExecutePlan; expected: Taint[] }[] = [
    {
      name: "get both effects in one pass when it becomes unreachable",
      node: aNode("n", { ready: "Unknown", taints: [foreign] }),
      noExecute: unreachable,
      expected: [foreign, taint("unreachable", "NoSchedule"), taint("unreachable", "NoExecute")],
    },
    {
      name: "get NoSchedule alone while evictions wait",
      node: aNode("n", { ready: "Unknown" }),
      expected: [taint("unreachable", "NoSchedule")],
    },
    {
      name: "are swapped, not doubled, when False becomes Unknown",
      node: aNode("n", {
        ready: "Unknown",
        taints: [taint("not-ready", "NoSchedule", earlier), taint("not-ready", "NoExecute", earlier)],
      }),
      noExecute: { ...unreachable, rateLimited: false },
      expected: [taint("unreachable", "NoSchedule"), taint("unreachable", "NoExecute")],
    },
    {
      name: "are removed when the node is Ready again, except for others' taints",
      node: aNode("n", { taints: [taint("unreachable", "NoSchedule"), foreign, taint("unreachable", "NoExecute")] }),
      noExecute: { type: "remove" },
      expected: [foreign],
    },
    {
      name: "follow memory pressure",
      node: withCondition(aNode("n"), "MemoryPressure"),
      expected: [taint("memory-pressure", "NoSchedule")],
    },
    {
      name: "follow disk pressure",
      node: withCondition(aNode("n"), "DiskPressure"),
      expected: [taint("disk-pressure", "NoSchedule")],
    },
    {
      name: "follow PID pressure",
      node: withCondition(aNode("n"), "PIDPressure"),
      expected: [taint("pid-pressure", "NoSchedule")],
    },
    {
      name: "follow a network that is unavailable",
      node: withCondition(aNode("n"), "NetworkUnavailable"),
      expected: [taint("network-unavailable", "NoSchedule")],
    },
    {
      name: "follow cordon",
      node: { ...aNode("n"), spec: { unschedulable: true } },
      expected: [taint("unschedulable", "NoSchedule")],
    },
    {
      name: "follow uncordon",
      node: aNode("n", { taints: [taint("unschedulable", "NoSchedule", earlier)] }),
      expected: [],
    },
    {
      name: "keep the time of their addition",
      node: aNode("n", { ready: "Unknown", taints: [taint("unreachable", "NoSchedule", earlier)] }),
      noExecute: unreachable,
      expected: [taint("unreachable", "NoSchedule", earlier), taint("unreachable", "NoExecute")],
    },
  ];
  test.each(cases)("$name", ({ node, noExecute = { type: "keep" }, expected }) => {
    const taints = planTaints(node, noExecute, nowMs);
    expect(taints).toEqual(expected);
    const settled: Node = { ...node, spec: { ...node.spec, taints: expected } };
    expect(planTaints(settled, { type: "keep" }, nowMs + 1000)).toBeUndefined();
  });
});
