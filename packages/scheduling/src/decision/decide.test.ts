import { describe, expect, test } from "vitest";
import { defaultPlugins } from "../default-plugins.ts";
import { aCluster, aNode, aPod, podInfo } from "../testing/builders.ts";
import { decide } from "./decide.ts";
import type { Plugin } from "../framework/plugin.ts";
import { fits } from "../framework/verdict.ts";
import type { Timed } from "./filter-nodes.ts";
import { planPreemption } from "../preemption/plan-preemption.ts";
import { explainPreemption, explainRejection } from "../preemption/explain-preemption.ts";

const options = { plugins: defaultPlugins, tieBreaker: 0 };

describe("a decision", () => {
  test("takes the only node that fits", () => {
    const cluster = aCluster([aNode("a", { spec: { unschedulable: true } }), aNode("b")]);
    expect(decide(podInfo("web"), cluster, options)).toEqual({ placed: true, node: "b", evaluated: 2, feasible: 1 });
  });

  test("takes the emptiest of the fitting nodes", () => {
    const cluster = aCluster([aNode("a"), aNode("b"), aNode("c")], {
      a: [aPod("x", { requests: { cpu: "1", memory: "2Gi" } })],
      c: [aPod("y", { requests: { cpu: "2", memory: "4Gi" } })],
    });
    expect(decide(podInfo("web", { requests: { cpu: "1", memory: "2Gi" } }), cluster, options)).toMatchObject({
      node: "b",
    });
  });

  test("decides at random only between equal nodes", () => {
    const cluster = aCluster([aNode("a"), aNode("b"), aNode("c")], { b: [aPod("x", { requests: { cpu: "1" } })] });
    const pod = podInfo("web", { requests: { cpu: "1" } });
    const chosen = [0, 0.49, 0.5, 0.99].map((tieBreaker) => {
      const decision = decide(pod, cluster, { ...options, tieBreaker });
      return decision.placed && decision.node;
    });
    expect(chosen).toEqual(["a", "a", "c", "c"]);
  });

  test("can be timed by its parts, under upstream's names", () => {
    const points: string[] = [];
    const timed: Timed = (point, work) => {
      points.push(point);
      return work();
    };
    const cluster = aCluster([aNode("a"), aNode("b")]);
    expect(decide(podInfo("web"), cluster, { ...options, timed })).toEqual(decide(podInfo("web"), cluster, options));
    expect(points).toEqual(["PreFilter", "Filter", "Score"]);
  });

  test("for a pod that names its node inspects no other node, and explains the others by their number", () => {
    const looked: string[] = [];
    const counter: Plugin = {
      name: "Counter",
      filter: () => ({ check: ({ name }) => (looked.push(name), fits) }),
    };
    const cluster = aCluster(Array.from({ length: 100 }, (_, i) => aNode(`n${i}`)));
    const pinned = (cpu: string) =>
      podInfo("agent", {
        requests: { cpu },
        spec: {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n7"] }] }],
              },
            },
          },
        },
      });
    const counted = { ...options, plugins: [counter, ...defaultPlugins] };
    expect(decide(pinned("1"), cluster, counted)).toMatchObject({ placed: true, node: "n7", feasible: 1 });
    expect(looked).toEqual(["n7"]);
    const refused = decide(pinned("100"), cluster, counted);
    expect(refused.placed ? "" : explainRejection(refused.rejections, "")).toBe(
      "0/100 nodes are available: 1 Insufficient cpu, 99 node(s) didn't satisfy plugin(s) [NodeAffinity].",
    );
  });

  test("changes nothing", () => {
    const cluster = aCluster([aNode("a"), aNode("b")]);
    decide(podInfo("web"), cluster, options);
    expect(cluster.podCount).toBe(0);
  });
});

describe("the message of a pod that fits nowhere", () => {
  const message = (nodes: Parameters<typeof aCluster>[0], pod = podInfo("web", { requests: { cpu: "3" } })) => {
    const cluster = aCluster(nodes, { busy: [aPod("x", { requests: { cpu: "2" } })] });
    const decision = decide(pod, cluster, options);
    if (decision.placed) throw new Error(`placed on ${decision.node}`);
    const { rejections } = decision;
    const plan = planPreemption(pod, cluster, { ...options, rejections, budgets: [] });
    return explainRejection(rejections, explainPreemption(plan, rejections.nodeCount));
  };
  const unreachable = { spec: { taints: [{ key: "node.kubernetes.io/unreachable", effect: "NoSchedule" as const }] } };

  test.each<[string, string]>([
    [
      message([aNode("busy"), aNode("a", unreachable), aNode("b", unreachable)]),
      "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {node.kubernetes.io/unreachable: }. preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.",
    ],
    [
      message([aNode("busy")]),
      "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
    ],
    [
      message([aNode("a", unreachable)]),
      "0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
    ],
    [
      message(
        [aNode("a"), aNode("b")],
        podInfo("web", { spec: { volumes: [{ name: "d", persistentVolumeClaim: { claimName: "disk" } }] } }),
      ),
      '0/2 nodes are available: persistentvolumeclaim "disk" not found. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
    ],
    [
      message([
        aNode("busy", { allocatable: { pods: "1" } }),
        aNode("a", { spec: { unschedulable: true } }),
        aNode("b", { allocatable: { cpu: "1" } }),
      ]),
      "0/3 nodes are available: 1 Too many pods, 1 node(s) were unschedulable, 2 Insufficient cpu. preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.",
    ],
    [
      message([aNode("busy")], podInfo("web", { requests: { cpu: "3" }, spec: { preemptionPolicy: "Never" } })),
      "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.",
    ],
    [
      message([aNode("busy")], podInfo("web", { requests: { cpu: "3" }, spec: { priority: 1000 } })),
      "0/1 nodes are available: 1 Insufficient cpu.",
    ],
    [message([]), "no nodes available to schedule pods"],
  ])("%s", (actual, expected) => {
    expect(actual).toBe(expected);
  });
});
