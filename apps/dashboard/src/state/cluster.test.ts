import { formatTimestamp, type Pod, type ReplicaSet, type TimelineEntry } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { RequestRefused } from "../data/api.ts";
import { workloadKey } from "@kintsugi/story";
import { Cluster } from "./cluster.ts";

const startMs = 1_767_225_600_000;
const owner = (kind: string, name: string) => [{ apiVersion: "apps/v1", kind, name, uid: "u", controller: true }];

function aCluster(): Cluster {
  return new Cluster({ nowMs: () => startMs }, { clusterName: "lab", profile: "fast", skewMs: 500 });
}

function aPod(name: string, ready: "True" | "False", node = "n1"): Pod {
  const time = formatTimestamp(startMs - 60_000);
  return {
    metadata: { name, namespace: "a", creationTimestamp: time, ownerReferences: owner("ReplicaSet", "web-8556fcd85") },
    spec: { containers: [], nodeName: node },
    status: { phase: "Running", conditions: [{ type: "Ready", status: ready, lastTransitionTime: time }] },
  };
}

const replicaSet = {
  metadata: { name: "web-8556fcd85", namespace: "a", ownerReferences: owner("Deployment", "web") },
} as ReplicaSet;

describe("without the server's timeline", () => {
  test("the page creates steps from observed changes", () => {
    const cluster = aCluster();
    cluster.replace("pods", [aPod("p", "True")]);
    cluster.put("pods", aPod("p", "False"));
    cluster.remove("pods", aPod("p", "False"));
    const [bar] = [...cluster.story.bars()];
    expect(bar?.spans.map(({ state, fromMs }) => [state, fromMs - startMs])).toEqual([
      ["pending", -60_000],
      ["starting", -60_000],
      ["ready", -60_000],
      ["unready", 500],
    ]);
    expect(bar?.toMs).toBe(startMs + 500);
  });

  test("a pod that was removed while the page did not read disappears with the next list", () => {
    const cluster = aCluster();
    cluster.replace("pods", [aPod("p", "True"), aPod("q", "True")]);
    cluster.replace("pods", [aPod("q", "True")]);
    expect(cluster.story.find({ namespace: "a", name: "p" })).toBeUndefined();
    expect(cluster.story.find({ namespace: "a", name: "q" })).toBeDefined();
  });
});

describe("with the server's timeline", () => {
  const created: TimelineEntry = {
    timeMs: startMs,
    revision: 7,
    kind: "Pod",
    namespace: "a",
    name: "p",
    node: "n1",
    what: "created",
    detail: "",
  };

  test("changes of objects do not create further steps, but pods outside the timeline are seeded", () => {
    const cluster = aCluster();
    cluster.hasTimeline = true;
    cluster.applySteps([created]);
    cluster.replace("pods", [aPod("p", "True"), aPod("old", "True")]);
    cluster.put("pods", aPod("old", "False"));
    expect([...cluster.story.bars()].map(({ name, spans }) => [name, spans.length])).toEqual([
      ["p", 1],
      ["old", 3],
    ]);
  });
});

test("every pod is seeded where the timeline is empty", () => {
  const cluster = aCluster();
  cluster.hasTimeline = true;
  cluster.replace("pods", [aPod("p", "True"), aPod("q", "True", "n2"), aPod("r", "True")]);
  expect([...cluster.story.bars()].map(({ name }) => name)).toEqual(["p", "r", "q"]);
});

test("a pod belongs to its Deployment while it exists, and even if only its name is known", () => {
  const cluster = aCluster();
  cluster.replace("replicasets", [replicaSet]);
  cluster.replace("pods", [aPod("web-8556fcd85-x9cbm", "True"), aPod("web-8556fcd85-k8wp2", "True")]);
  cluster.remove("pods", aPod("web-8556fcd85-k8wp2", "True"));
  expect([...cluster.story.bars()].map((bar) => workloadKey(cluster.workloadOfBar(bar)))).toEqual([
    "a/Deployment/web",
    "a/Deployment/web",
  ]);
});

test("the oldest objects of a growing list are dropped", () => {
  const cluster = aCluster();
  cluster.replace(
    "pods",
    ["a", "b", "c"].map((name) => aPod(name, "True")),
  );
  cluster.forgetOldest("pods", 2);
  expect(cluster.list("pods").map(({ metadata }) => metadata.name)).toEqual(["b", "c"]);
});

test("problems are reported once and cleared", () => {
  const cluster = aCluster();
  cluster.report("pods", new RequestRefused(403, "no"));
  const { value } = cluster.problems;
  cluster.report("pods", new RequestRefused(403, "no"));
  expect(cluster.problems.value).toBe(value);
  cluster.report("pods", undefined);
  expect(cluster.problems.value.size).toBe(0);
});

test("the cluster counts as read when nodes, pods and their owners were listed or refused", () => {
  const cluster = aCluster();
  cluster.replace("nodes", []);
  cluster.replace("replicasets", []);
  cluster.replace("pods", [aPod("p", "True")]);
  expect(cluster.isRead).toBe(false);
  cluster.report("deployments", new RequestRefused(403, "no"));
  expect(cluster.isRead).toBe(true);
});
