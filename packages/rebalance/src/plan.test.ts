import { controllerReference, type Deployment, deployments, formatTimestamp, type Pod } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { forecastRebalance } from "./forecast.ts";
import { observeWorld } from "./observe.ts";
import { planRebalance, type RebalancePlan } from "./plan.ts";
import { markOfNodes } from "./nodes-mark.ts";
import {
  aCrowd,
  budgetOf,
  nodeNamed,
  noonMs,
  podOf,
  ready,
  setNamed,
  someOptions,
  statefulSetNamed,
} from "./testing/a-world.ts";
import type { ObservedObjects, RebalanceOptions } from "./world.ts";

const plan = (objects: ObservedObjects, options: Partial<RebalanceOptions> = {}): RebalancePlan =>
  planRebalance(observeWorld(objects), { ...someOptions, ...options }, { nowMs: noonMs, turn: 0 });

/** The reason why no pod moves. */
function reason(objects: ObservedObjects, options: Partial<RebalanceOptions> = {}): string {
  const made = plan(objects, options);
  if (made.is === "move") return `moves ${made.move.pod.metadata.name}`;
  return made.is === "wait" ? made.because : (made.held[0]?.because ?? "nothing is crowded");
}

const crowd = aCrowd();
const change = (changes: Partial<ObservedObjects>): ObservedObjects => ({ ...crowd, ...changes });
const changePod = (name: string, pod: (before: Pod) => Pod) =>
  change({ pods: crowd.pods.map((each) => (each.metadata.name === name ? pod(each) : each)) });
const changeNode = (node: ReturnType<typeof nodeNamed>) =>
  change({ nodes: crowd.nodes.map((each) => (each.metadata.name === node.metadata.name ? node : each)) });
const setWith = (annotations: Record<string, string>) => change({ replicaSets: [setNamed("web", 6, annotations)] });
const recorded = (record: object) =>
  setWith({
    "kintsugi.dev/rebalance-record": JSON.stringify({
      nodes: markOfNodes(crowd.nodes),
      at: formatTimestamp(noonMs - 3_600_000),
      moved: [],
      ...record,
    }),
  });

test("a pod of a crowded node moves to the node with the higher score, and the reason has the numbers", () => {
  const made = plan(crowd);
  expect(made).toMatchObject({ is: "move", move: { from: "node-1", node: "node-3", crowdBefore: 3, crowd: 0 } });
  if (made.is !== "move") return;
  expect(made.move.scoreAfter - made.move.scoreBefore).toBeGreaterThan(50);
  expect(made.move.why).toBe(
    "3 of the 6 pods of ReplicaSet default/web are on node node-1 and 0 on node node-3, " +
      `which the scheduler scores ${made.move.scoreAfter} instead of ${made.move.scoreBefore}`,
  );
});

test("a forecast spreads the pods evenly and then ends", () => {
  const { moves, waitsFor } = forecastRebalance(observeWorld(crowd), someOptions, noonMs);
  expect(moves.map(({ from, node }) => [from, node])).toEqual([
    ["node-1", "node-3"],
    ["node-2", "node-3"],
  ]);
  expect(waitsFor).toBeUndefined();
});

test("pods whose counts differ by one between nodes are not moved, whatever their scores", () => {
  const set = setNamed("web", 3);
  const pods = [podOf(set, "a", "node-1"), podOf(set, "b", "node-2")];
  expect(reason(change({ replicaSets: [setNamed("web", 2)], pods }))).toBe("nothing is crowded");
});

describe("no move is planned while the cluster changes", () => {
  const justNow = noonMs - 10_000;
  test.each<[string, ObservedObjects]>([
    ["node node-3 changed recently", changeNode(nodeNamed("node-3", [ready("True", justNow)]))],
    [
      "node node-3 has MemoryPressure",
      changeNode(nodeNamed("node-3", [ready("True"), { ...ready("True"), type: "MemoryPressure" }])),
    ],
    [
      "node node-2 is not Ready, and 3 of its pods have not been replaced",
      changeNode(nodeNamed("node-2", [ready("False")])),
    ],
    [
      "evictions from node node-3 are paused",
      changeNode(nodeNamed("node-3", [ready("True"), { ...ready("True"), type: "kintsugi.dev/EvictionsPaused" }])),
    ],
    [
      "a move of ReplicaSet default/web is in progress",
      recorded({ move: { pod: "z", uid: "uid-z", from: "node-1", to: "node-3", crowd: 3 } }),
    ],
  ])("%s", (because, objects) => {
    expect(plan(objects).is).toBe("wait");
    expect(reason(objects)).toBe(because);
  });

  test("except for a node that is down and has no pods left", () => {
    expect(
      plan(change({ nodes: [...crowd.nodes, nodeNamed("node-4", [ready("False")], { unschedulable: true })] })).is,
    ).toBe("move");
  });
});

const rolling = (status: Deployment["status"]): ObservedObjects => {
  const metadata = { name: "web", namespace: "default", uid: "uid-of-deployment", generation: 2 };
  const template = { spec: { containers: [] } };
  const deployment = { metadata, spec: { replicas: 6, selector: {}, template }, status } as Deployment;
  const set = setNamed("web", 6);
  set.metadata.ownerReferences = [controllerReference(deployment, deployments)];
  return change({ replicaSets: [set], deployments: [deployment] });
};

describe("an owner is not moved", () => {
  test.each<[string, ObservedObjects]>([
    ['its annotation kintsugi.dev/rebalance is "false"', setWith({ "kintsugi.dev/rebalance": "false" })],
    ["it has 6 of 7 pods", change({ replicaSets: [setNamed("web", 7)] })],
    [
      "pod d is not Ready",
      changePod("d", (pod) => ({ ...pod, status: { ...pod.status, conditions: [ready("False")] } })),
    ],
    [
      "pod d changed recently",
      changePod("d", (pod) => ({ ...pod, status: { ...pod.status, conditions: [ready("True", noonMs - 5000)] } })),
    ],
    ["its last move began at 2026-01-01T11:59:00Z", recorded({ at: formatTimestamp(noonMs - 60_000) })],
    ["no further attempt until the nodes change: it went back", recorded({ blocked: "it went back" })],
    [
      "the newest spec of Deployment web has not been processed",
      rolling({ observedGeneration: 1, replicas: 6, updatedReplicas: 6 }),
    ],
    ["a rollout of Deployment web is in progress", rolling({ observedGeneration: 2, replicas: 7, updatedReplicas: 2 })],
    ["a PodDisruptionBudget does not allow a disruption", change({ budgets: [budgetOf(setNamed("web", 6), 0)] })],
    [
      "its emptyDir volume data would be lost",
      aCrowd(setNamed("web", 6), { spec: { volumes: [{ name: "data", emptyDir: {} }] } }),
    ],
    [
      "it is critical to the cluster",
      aCrowd(setNamed("web", 6), { spec: { priorityClassName: "system-node-critical" } }),
    ],
    ["it is a static pod", aCrowd(setNamed("web", 6), { annotations: { "kubernetes.io/config.mirror": "x" } })],
  ])("%s", (because, objects) => {
    expect(plan(objects).is).toBe("nothing");
    expect(reason(objects)).toContain(because);
  });

  test("unless the record is of other nodes", () => {
    expect(plan(recorded({ blocked: "it went back", nodes: "others" })).is).toBe("move");
  });

  test("and pods that were moved remain on their node", () => {
    expect(reason(recorded({ moved: ["uid-a", "uid-b"] }))).toBe("moves c");
    expect(reason(recorded({ moved: ["uid-a", "uid-b", "uid-c"] }))).toBe("moves d");
  });

  test("an invalid annotation is ignored", () => {
    for (const text of ["", "null", "{}", "[1]", '{"nodes":"x","at":"never","moved":[]}'])
      expect(plan(setWith({ "kintsugi.dev/rebalance-record": text })).is).toBe("move");
  });

  test("data of an emptyDir may be lost if the owner permits it", () => {
    const set = setNamed("web", 6, { "kintsugi.dev/rebalance": "true" });
    expect(plan(aCrowd(set, { spec: { volumes: [{ name: "data", emptyDir: {} }] } })).is).toBe("move");
  });
});

describe("a StatefulSet's pods", () => {
  const stateful = (annotations: Record<string, string> = {}) => {
    const set = statefulSetNamed("db", 3, annotations);
    const pods = ["db-0", "db-1", "db-2"].map((name) => podOf(set, name, "node-1"));
    return change({ replicaSets: [], statefulSets: [set], pods });
  };
  test("move only if the owner permits it", () => {
    expect(reason(stateful())).toBe("pods of a StatefulSet move only on request");
    expect(plan(stateful(), { includeStateful: true }).is).toBe("move");
    expect(plan(stateful({ "kintsugi.dev/rebalance": "true" })).is).toBe("move");
    expect(plan(stateful({ "kintsugi.dev/rebalance": "false" }), { includeStateful: true }).is).toBe("nothing");
  });
});

describe("the scheduler's own decision counts", () => {
  test("a node that it would not choose is not a target", () => {
    const tainted = nodeNamed("node-3", [ready("True")], { taints: [{ key: "x", effect: "NoSchedule" }] });
    expect(reason(changeNode(tainted))).toMatch(/node node-[12] is the best node for it/);
  });

  test("a cordoned node's pods are not moved because drain moves them", () => {
    const cordoned = (name: string) => nodeNamed(name, [ready("True")], { unschedulable: true });
    expect(reason(change({ nodes: [cordoned("node-1"), cordoned("node-2"), nodeNamed("node-3")] }))).toBe(
      "the scheduler would reject node node-1",
    );
  });

  test("a score within the margin is not higher", () => {
    expect(reason(crowd, { scoreMargin: 1000 })).toMatch(/^node node-3 scores \d+, node node-1 \d+$/);
  });

  test("a replacement that does not fit while the old pod runs has no better node", () => {
    const set = setNamed("web", 6);
    const term = { labelSelector: { matchLabels: { app: "web" } }, topologyKey: "zone" };
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    const nodes = crowd.nodes.map((node) => ({
      ...node,
      metadata: { ...node.metadata, labels: { ...node.metadata.labels, zone: "z" } },
    }));
    const pods = [podOf(set, "a", "node-1", { spec: { affinity } }), podOf(set, "b", "node-1", { spec: { affinity } })];
    expect(reason(change({ nodes, pods, replicaSets: [setNamed("web", 2)] }))).toContain("would reject");
  });

  test("only pods of the namespace move", () => {
    expect(plan(crowd, { namespace: "other" })).toEqual({ is: "nothing", held: [] });
  });
});

describe("a pod with a volume moves only if the volume can follow", () => {
  const claimed = { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] };
  const claim = {
    metadata: {
      name: "data",
      namespace: "default",
      uid: "uid-claim",
      annotations: { "pv.kubernetes.io/bind-completed": "yes" },
    },
    spec: { volumeName: "disk", accessModes: ["ReadWriteOnce" as const] },
  };
  const volumeOn = (...values: string[]) => ({
    metadata: { name: "disk", uid: "uid-disk" },
    spec: {
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In" as const, values }] },
          ],
        },
      },
    },
  });
  const crowdWith = (changes: Partial<ObservedObjects>): ObservedObjects => ({
    ...aCrowd(setNamed("web", 6), { spec: claimed }),
    ...changes,
  });

  test("not from the node of a local volume", () => {
    const volumes = [volumeOn("node-1")];
    expect(reason(crowdWith({ claims: [claim], volumes }))).toMatch(/^node node-1 is the best node for it/);
  });

  test("even to another node that has the volume", () => {
    const made = plan(crowdWith({ claims: [claim], volumes: [volumeOn("node-1", "node-2", "node-3")] }));
    expect(made).toMatchObject({ is: "move", move: { from: "node-1", node: "node-3" } });
  });

  test("not without its claim", () => {
    expect(reason(crowdWith({}))).toBe("the scheduler would reject node node-1");
  });

  test("not with an ephemeral volume, whatever the owner's annotation", () => {
    const spec = { volumes: [{ name: "scratch", ephemeral: {} }] };
    const set = setNamed("web", 6, { "kintsugi.dev/rebalance": "true" });
    expect(reason(aCrowd(set, { spec }))).toMatch(/is not moved: its ephemeral volume scratch would be lost$/);
  });
});
