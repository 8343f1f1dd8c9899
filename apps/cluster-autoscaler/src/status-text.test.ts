import { expect, test } from "vitest";
import { parse } from "yaml";
import { upstreamOptions } from "./model/options.ts";
import { emptyMemory, type World } from "./model/world.ts";
import { planLook } from "./plan/plan-look.ts";
import { autoscalerStatus, type WrittenStatus } from "./status-text.ts";
import { aMachineNode, aNodeGroup, aScaledWorld, aWorkloadPod } from "./testing/scaled-cluster.ts";

function statusOf(changes: Partial<World>, nowMs: number, before?: WrittenStatus) {
  const world = aScaledWorld(changes);
  const look = planLook(world, emptyMemory, { options: upstreamOptions, nowMs });
  return autoscalerStatus(world, look, { nowMs, before });
}

test("the status has upstream's fields and names the nodes that are kept", () => {
  const nodes = [aMachineNode("m1"), aMachineNode("m2", { ready: "Unknown" }), aMachineNode("m3")];
  const pods = [aWorkloadPod("p", { cpu: "2", node: "m1" })];
  const groups = [aNodeGroup("pool", ["m1", "m2", "m3"], { min: 1, max: 4, target: 3 })];
  const status = parse(statusOf({ nodes, pods, groups }, 1_000_000).text());
  const times = { lastProbeTime: "1970-01-01T00:16:40Z", lastTransitionTime: "1970-01-01T00:16:40Z" };
  const registered = { total: 3, ready: 2, notStarted: 0, unready: { total: 1, resourceUnready: 0 } };
  const nodeCounts = { registered, longUnregistered: 0, unregistered: 0 };
  const scaleDown = { status: "CandidatesPresent", candidates: 1, ...times };
  expect(status).toEqual({
    time: "1970-01-01T00:16:40Z",
    autoscalerStatus: "Running",
    clusterWide: {
      health: { status: "Healthy", nodeCounts, ...times },
      scaleUp: { status: "NoActivity", ...times },
      scaleDown,
    },
    nodeGroups: [
      {
        name: "pool",
        health: { status: "Healthy", nodeCounts, cloudProviderTarget: 3, minSize: 1, maxSize: 4, ...times },
        scaleUp: { status: "NoActivity", ...times },
        scaleDown,
      },
    ],
    scaleDownCandidates: ["m3"],
    stays: { m1: "its pods request 100 % of it" },
  });
});

test("a condition keeps the time of its last change, and a change of times alone is not written", () => {
  const empty = { groups: [aNodeGroup("pool", [])] };
  const first = statusOf(empty, 1_000_000);
  const second = statusOf(empty, 2_000_000, first);
  expect(second.content).toBe(first.content);
  const third = statusOf({ ...empty, pods: [aWorkloadPod("p")] }, 3_000_000, second);
  expect(third.content).not.toBe(first.content);
  const { clusterWide, nodeGroups } = parse(third.text());
  expect(clusterWide.health.lastTransitionTime).toBe("1970-01-01T00:16:40Z");
  expect(clusterWide.scaleUp).toMatchObject({ status: "InProgress", lastTransitionTime: "1970-01-01T00:50:00Z" });
  expect(nodeGroups[0].scaleUp.status).toBe("InProgress");
});
