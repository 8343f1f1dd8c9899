import type { Pod, PodDisruptionBudget } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import type { ClusterState } from "../cluster-state/cluster-state.ts";
import type { PodInfo } from "../cluster-state/pod-info.ts";
import { decide } from "../decision/decide.ts";
import { defaultPlugins } from "../default-plugins.ts";
import { aCluster, aNode, aPod, type PodDetails, podInfo } from "../testing/builders.ts";
import { rejectionText } from "../framework/rejection-reason.ts";
import { planPreemption, type PreemptionPlan } from "./plan-preemption.ts";

const plugins = defaultPlugins;

describe("the permission to preempt", () => {
  const full = () => aCluster([aNode("a")], { a: [placed("low", 0, 4)] });

  test("is absent with preemptionPolicy Never", () => {
    const pod = pending(10, 4, { spec: { preemptionPolicy: "Never" } });
    expect(plan(pod, full())).toEqual({ is: "not eligible", why: "not eligible due to preemptionPolicy=Never." });
  });

  test.each<[string, Pod, PreemptionPlan["is"]]>([
    ["waits while a victim terminates on the nominated node", leaving("low", 0), "not eligible"],
    [
      "does not wait for a pod that terminates for another reason",
      placed("low", 0, 4, { terminating: true }),
      "preempt",
    ],
    ["does not wait for a pod as important as itself", leaving("low", 10), "no candidate"],
    ["does not wait if no pod terminates", placed("low", 0, 4), "preempt"],
  ])("a pod that was nominated %s", (_, there, expected) => {
    const cluster = aCluster([aNode("a")], { a: [there] });
    const pod = pending(10, 4);
    cluster.nominate(pod, "a");
    expect(plan(pod, cluster).is).toBe(expected);
  });

  test("a nominated pod selects another node when no removal from the node helps any longer", () => {
    const unreachable = { taints: [{ key: "node.kubernetes.io/unreachable", effect: "NoSchedule" as const }] };
    const cluster = aCluster([aNode("a", { spec: unreachable }), aNode("b")], {
      a: [leaving("low", 0)],
      b: [placed("other", 0, 4)],
    });
    const pod = pending(10, 4);
    cluster.nominate(pod, "a");
    expect(names(plan(pod, cluster))).toEqual(["b", "other"]);
  });

  test("pods that this scheduler is deleting count as terminating before the informer shows it", () => {
    const cluster = full();
    const pod = pending(10, 4);
    cluster.nominate(pod, "a");
    cluster.preempting("uid-low");
    expect(plan(pod, cluster)).toMatchObject({ why: "not eligible due to a terminating pod on the nominated node." });
    cluster.preemptingFailed("uid-low");
    expect(names(plan(pod, cluster))).toEqual(["a", "low"]);
  });
});

describe("the victims on a node", () => {
  const victims = (pods: readonly Pod[], pod: PodInfo, budgets: PodDisruptionBudget[] = []) =>
    names(plan(pod, aCluster([aNode("a")], { a: pods }), { budgets })).slice(1);

  test.each<[string, readonly Pod[], PodInfo, string[]]>([
    ["the least important", [placed("mid", 5, 2), placed("low", 1, 2)], pending(10, 2), ["low"]],
    [
      "of equals the youngest",
      [placed("old", 0, 2, startedAt(1)), placed("new", 0, 2, startedAt(2))],
      pending(10, 2),
      ["new"],
    ],
    [
      "first a pod that has not started yet",
      [placed("old", 0, 2, startedAt(9)), placed("new", 0, 2)],
      pending(10, 2),
      ["new"],
    ],
    ["as few pods as necessary", [placed("s", 0, 1), placed("m", 1, 1), placed("l", 2, 2)], pending(10, 2), ["m", "s"]],
    [
      "one larger pod rather than two more important pods",
      [placed("a", 2, 1), placed("b", 2, 1), placed("c", 1, 2)],
      pending(10, 2),
      ["c"],
    ],
    ["never an equally important pod", [placed("equal", 10, 3), placed("low", 0, 1)], pending(10, 2), []],
    ["never a more important pod", [placed("high", 11, 4)], pending(10, 1), []],
    ["no pods if all their resources are not enough", [placed("high", 11, 2), placed("low", 0, 2)], pending(10, 3), []],
    ["with negative priorities", [placed("neg", -5, 4)], pending(0, 1), ["neg"]],
    [
      "not again if it is terminating already",
      [placed("gone", 5, 2, { terminating: true }), placed("low", 0, 2)],
      pending(10, 2),
      [],
    ],
    [
      "the pod with the port",
      [placed("port", 3, 1, { hostPort: 80 }), placed("low", 0, 1)],
      pending(10, 1, { hostPort: 80 }),
      ["port"],
    ],
  ])("%s", (_, there, pod, expected) => {
    expect(victims(there, pod)).toEqual(expected);
  });

  test("a terminating pod is chosen before others, although it is more important", () => {
    const cluster = aCluster([aNode("a")], {
      a: [placed("gone", 5, 2, { terminating: true }), placed("low", 0, 2)],
    });
    expect(plan(pending(10, 2), cluster)).toEqual({ is: "preempt", nodeName: "a", victims: [] });
  });

  test("a pod that a budget protects is restored first", () => {
    const pods = [placed("important", 5, 2), placed("kept", 0, 2, { labels: { app: "db" } })];
    expect(victims(pods, pending(10, 2), [budget("db", 0)])).toEqual(["important"]);
    expect(victims(pods, pending(10, 2), [budget("db", 1)])).toEqual(["kept"]);
  });

  test("a budget does not protect a pod if no other choice exists", () => {
    const pods = [placed("kept", 0, 4, { labels: { app: "db" } })];
    expect(victims(pods, pending(10, 2), [budget("db", 0)])).toEqual(["kept"]);
  });

  test("include a pod that repels the preemptor, and a pod that violates its spread", () => {
    const apart = { labelSelector: { matchLabels: { app: "web" } }, topologyKey: "kubernetes.io/hostname" };
    const repelled = pending(10, 1, {
      spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [apart] } } },
    });
    const pods = [placed("low", 0, 1), placed("web", 5, 1, { labels: { app: "web" } })];
    expect(victims(pods, repelled)).toEqual(["web"]);

    const spread = pending(10, 1, {
      labels: { app: "web" },
      spec: {
        nodeSelector: { "kubernetes.io/hostname": "a" },
        topologySpreadConstraints: [
          { ...apart, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule", nodeAffinityPolicy: "Ignore" },
        ],
      },
    });
    const cluster = aCluster([aNode("a"), aNode("b")], { a: pods });
    expect(names(plan(spread, cluster))).toEqual(["a", "web"]);
  });

  test("exclude pods whose resources are reserved for a nominated pod of equal or higher priority", () => {
    const cluster = aCluster([aNode("a")], { a: [placed("low", 0, 3)] });
    cluster.nominate(pending(10, 3, { uid: "first" }), "a");
    expect(plan(pending(10, 2), cluster)).toEqual({ is: "no candidate", reasons: ["Insufficient cpu"] });
    expect(names(plan(pending(11, 2), cluster))).toEqual(["a", "low"]);
  });
});

describe("the node with the smallest loss", () => {
  const pod = pending(100, 4);
  const chosen = (
    a: readonly Pod[],
    b: readonly Pod[],
    options: { budgets?: PodDisruptionBudget[]; tieBreaker?: number } = {},
  ) => names(plan(pod, aCluster([aNode("a"), aNode("b")], { a, b }), options))[0];

  test.each<[string, readonly Pod[], readonly Pod[]]>([
    ["violates no budget", [placed("a", 0, 4, { labels: { app: "db" } })], [placed("b", 90, 4)]],
    [
      "has the less important of the most important victims",
      [placed("a", 3, 4)],
      [placed("b1", 2, 2), placed("b2", 2, 2)],
    ],
    [
      "has the smaller sum of priorities",
      [placed("a1", 2, 2), placed("a2", 1, 2)],
      [placed("b1", 2, 2), placed("b2", 0, 2)],
    ],
    [
      "has the smaller sum although some priorities are negative",
      [placed("a1", -1, 2), placed("a2", -1, 2)],
      [placed("b", -1, 4)],
    ],
    ["has the younger victims", [placed("a", 0, 4, startedAt(1))], [placed("b", 0, 4, startedAt(2))]],
    [
      "has the younger of its most important victims",
      [placed("a1", 2, 2, startedAt(3)), placed("a2", 1, 2, startedAt(9))],
      [placed("b1", 2, 2, startedAt(4)), placed("b2", 1, 2, startedAt(1))],
    ],
  ])("%s", (_, worse, better) => {
    for (const tieBreaker of [0, 0.99]) {
      expect(chosen(worse, better, { budgets: [budget("db", 0)], tieBreaker })).toBe("b");
      expect(chosen(better, worse, { budgets: [budget("db", 0)], tieBreaker })).toBe("a");
    }
  });

  test("is chosen at random among equals", () => {
    const [a, b] = [[placed("a", 0, 4)], [placed("b", 0, 4)]];
    expect([0, 0.49, 0.5, 0.99].map((tieBreaker) => chosen(a, b, { tieBreaker }))).toEqual(["a", "a", "b", "b"]);
  });

  test("is never a node that rejects the pod whatever is removed", () => {
    const cordoned = aNode("a", { spec: { unschedulable: true } });
    const cluster = aCluster([cordoned, aNode("b")], { a: [placed("a", 0, 4)], b: [placed("b", 50, 4)] });
    expect(names(plan(pod, cluster))).toEqual(["b", "b"]);
  });

  test("planning changes nothing", () => {
    const cluster = aCluster([aNode("a")], { a: [placed("low", 0, 4)] });
    plan(pod, cluster);
    expect(cluster.find("a")?.requested).toMatchObject({ cpu: 4000 });
    expect(cluster.nominatedNode(pod.uid)).toBeUndefined();
  });
});

describe("the resources that preemption frees for a pod", () => {
  const decided = (pod: PodInfo, cluster: ClusterState) => {
    const decision = decide(pod, cluster, { plugins, tieBreaker: 0 });
    return decision.placed
      ? decision.node
      : [...decision.rejections.byNode.values()].flatMap(({ because }) => because.map(rejectionText));
  };

  test("are not used by pods of equal or lower priority, but by pods of higher priority", () => {
    const cluster = aCluster([aNode("a")], { a: [placed("x", 0, 1)] });
    cluster.nominate(pending(10, 3, { uid: "first" }), "a");
    expect(decided(pending(10, 1), cluster)).toEqual(["Insufficient cpu"]);
    expect(decided(pending(0, 1), cluster)).toEqual(["Insufficient cpu"]);
    expect(decided(pending(11, 1), cluster)).toBe("a");
    cluster.removeNomination("first");
    expect(decided(pending(0, 1), cluster)).toBe("a");
  });

  test("are first tried by the pod itself, although another node would score higher", () => {
    const cluster = aCluster([aNode("empty"), aNode("a")], { a: [placed("x", 0, 3)] });
    const pod = pending(10, 1);
    expect(decided(pod, cluster)).toBe("empty");
    cluster.nominate(pod, "a");
    expect(decided(pod, cluster)).toBe("a");
  });

  test("are not needed if the pod fits on another node in the meantime, or the node no longer exists", () => {
    const cluster = aCluster([aNode("a"), aNode("b")], { a: [placed("x", 0, 4)] });
    const pod = pending(10, 1);
    cluster.nominate(pod, "a");
    expect(decided(pod, cluster)).toBe("b");
    cluster.removeNode("a");
    expect(decided(pod, cluster)).toBe("b");
  });

  test("do not count for affinity, because the pod also has to fit without the nominated pod", () => {
    const near = { labelSelector: { matchLabels: { app: "db" } }, topologyKey: "kubernetes.io/hostname" };
    const cluster = aCluster([aNode("a")]);
    cluster.nominate(pending(10, 1, { uid: "first", labels: { app: "db" } }), "a");
    const pod = pending(0, 1, {
      spec: { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [near] } } },
    });
    expect(decided(pod, cluster)).toEqual(["node(s) didn't match pod affinity rules"]);
  });
});

function plan(
  pod: PodInfo,
  cluster: ClusterState,
  { budgets = [], tieBreaker = 0 }: { budgets?: PodDisruptionBudget[]; tieBreaker?: number } = {},
): PreemptionPlan {
  const decision = decide(pod, cluster, { plugins, tieBreaker: 0 });
  if (decision.placed) throw new Error(`placed on ${decision.node}`);
  return planPreemption(pod, cluster, { rejections: decision.rejections, budgets, plugins, tieBreaker });
}

/** The node, then the victims. */
function names(made: PreemptionPlan): string[] {
  return made.is === "preempt" ? [made.nodeName, ...made.victims.map(({ pod }) => pod.metadata.name ?? "")] : [];
}

function pending(priority: number, cpus: number, details: PodDetails = {}): PodInfo {
  return podInfo("pending", { ...details, requests: { cpu: String(cpus) }, spec: { priority, ...details.spec } });
}

function placed(name: string, priority: number, cpus: number, details: PodDetails = {}): Pod {
  return aPod(name, { ...details, requests: { cpu: String(cpus) }, spec: { priority } });
}

function leaving(name: string, priority: number): Pod {
  const conditions = [{ type: "DisruptionTarget", status: "True" as const, reason: "PreemptionByScheduler" }];
  return placed(name, priority, 4, { terminating: true, status: { conditions } });
}

function startedAt(hour: number): PodDetails {
  return { status: { startTime: `2026-01-01T0${hour}:00:00Z` } };
}

function budget(app: string, disruptionsAllowed: number): PodDisruptionBudget {
  return {
    metadata: { name: app, namespace: "default" },
    spec: { selector: { matchLabels: { app } } },
    status: { disruptionsAllowed },
  };
}
