import {
  controllerReference,
  formatTimestamp,
  type Pod,
  type PodDisruptionBudget,
  replicationControllers,
} from "@kintsugi/api";
import { expect, test } from "vitest";
import { replicaSetController } from "../replica-set/controller.ts";
import { aReplicationController } from "../../shared/replicas/testing/replicated-kinds.ts";
import { aPod, aReplicaSet, ControllerTestCluster } from "../../testing/test-cluster.ts";
import { escalationController } from "./controller.ts";

const controllers = [replicaSetController, escalationController];
const set = aReplicaSet("web", 2);

function inNeed(cluster: ControllerTestCluster, name: string): void {
  const pod = cluster.find<Pod>("pods", name);
  if (!pod) throw new Error(`no pod ${name}`);
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== "Ready");
  const at = formatTimestamp(cluster.clock.nowMs());
  const conditions = [
    ...others,
    { type: "Ready", status: "False" as const },
    {
      type: "kintsugi.dev/ReplacementNeeded",
      status: "True" as const,
      lastTransitionTime: at,
      message: "Container main failed 3 restarts in a row",
    },
  ];
  cluster.put("pods", { ...pod, status: { ...pod.status, conditions } } as Pod);
}

/** Does the work of scheduler and kubelet for a new pod. */
function run(cluster: ControllerTestCluster, pod: Pod, node: string): void {
  const fresh = aPod(pod.metadata.name ?? "", { node, readySinceMs: cluster.clock.nowMs() });
  cluster.put("pods", { ...pod, spec: { ...pod.spec, nodeName: node }, status: fresh.status } as Pod);
}

async function started(): Promise<ControllerTestCluster> {
  const cluster = new ControllerTestCluster();
  cluster.put("replicasets", set);
  cluster.put("pods", aPod("a", { node: "node-1", owner: set }));
  cluster.put("pods", aPod("b", { node: "node-2", owner: set }));
  await cluster.start(...controllers);
  return cluster;
}

const going = (cluster: ControllerTestCluster) =>
  cluster
    .pods()
    .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
    .map(({ metadata }) => metadata.name);
const fresh = (cluster: ControllerTestCluster) =>
  cluster.pods().filter(({ metadata }) => metadata.name?.startsWith("web-"));
const avoids = (pod: Pod | undefined) => pod?.metadata.annotations?.["kintsugi.dev/avoid-nodes"];

test("pods that cannot be repaired are replaced one after the other, and each replacement avoids the failed node", async () => {
  const cluster = await started();
  inNeed(cluster, "a");
  inNeed(cluster, "b");
  await cluster.clock.advance(60_000);
  expect(going(cluster)).toEqual(["a"]);
  const [first] = fresh(cluster);
  expect(avoids(first)).toBe("node-1");
  expect(cluster.reasons()).toContain(
    "Replacing: Container main failed 3 restarts in a row: deleted, so that ReplicaSet web creates a new pod, if possible not on node node-1",
  );
  expect(
    cluster
      .reasons()
      .filter((text) => text.startsWith("ReplacementHeld"))
      .at(-1),
  ).toBe(`ReplacementHeld: Not replaced yet: ${first?.metadata.name}, which replaces another pod, is not Ready yet`);

  // The process is replaced in between. The reason that delays the second replacement is stored in
  // the API.
  await cluster.stop();
  await cluster.start(...controllers);
  await cluster.clock.advance(60_000);
  expect(going(cluster)).toEqual(["a"]);
  if (first) run(cluster, first, "node-3");
  await cluster.clock.advance(1000);
  expect(going(cluster)).toEqual(["a", "b"]);
  expect(new Set(fresh(cluster).map(avoids))).toEqual(new Set(["node-1", "node-2"]));
});

test("the replacement also avoids the node of a pod that was removed before its set's sync, and earlier nodes", async () => {
  const cluster = await started();
  const pod = cluster.find<Pod>("pods", "a");
  if (pod) {
    const annotations = { "kintsugi.dev/avoid-nodes": "node-9" };
    cluster.put("pods", { ...pod, metadata: { ...pod.metadata, annotations } });
  }
  await cluster.clock.settle();
  inNeed(cluster, "a");
  const marked = cluster.find<Pod>("pods", "a");
  await cluster.clock.settle();
  if (marked) cluster.remove("pods", marked);
  await cluster.clock.advance(1000);
  expect(fresh(cluster).map(avoids)).toEqual(["node-1,node-9"]);
});

test("a budget that protects a still Ready pod delays its replacement, and is named", async () => {
  const cluster = await started();
  const budget: PodDisruptionBudget = {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "keep", namespace: "default" },
    spec: { minAvailable: 2, selector: { matchLabels: { app: "web" } } },
  };
  cluster.put("poddisruptionbudgets", budget);
  await cluster.clock.settle();
  inNeed(cluster, "a");
  const pod = cluster.find<Pod>("pods", "a");
  const ready = (pod?.status?.conditions ?? []).map((each) =>
    each.type === "Ready" ? { ...each, status: "True" as const } : each,
  );
  if (pod) cluster.put("pods", { ...pod, status: { ...pod.status, conditions: ready } } as Pod);
  await cluster.clock.advance(30_000);
  expect(going(cluster)).toEqual([]);
  expect(cluster.reasons()).toEqual([
    "ReplacementHeld: Not replaced yet: PodDisruptionBudget keep requires 2 healthy pods and has 2",
  ]);
  // A budget never protects a pod that is already down.
  inNeed(cluster, "a");
  await cluster.clock.advance(6000);
  expect(going(cluster)).toEqual(["a"]);
});

test("a pod is not deleted if only the cache shows its need, or if its set is being deleted", async () => {
  const cluster = await started();
  cluster.put("replicasets", { ...set, metadata: { ...set.metadata, deletionTimestamp: formatTimestamp(0) } });
  await cluster.clock.settle();
  inNeed(cluster, "a");
  await cluster.clock.advance(60_000);
  expect(going(cluster)).toEqual([]);
});

test("a pod of a replication controller remains while the controller has too few pods", async () => {
  const cluster = new ControllerTestCluster();
  const owner = aReplicationController("old", 2);
  const pod = aPod("a", { node: "node-1" });
  cluster.put("replicationcontrollers", owner);
  cluster.put("pods", {
    ...pod,
    metadata: { ...pod.metadata, ownerReferences: [controllerReference(owner, replicationControllers)] },
  });
  await cluster.start(escalationController);
  inNeed(cluster, "a");
  await cluster.clock.settle();
  expect(cluster.reasons()).toEqual(["ReplacementHeld: Not replaced yet: its owner has 1 of 2 pods"]);
  await cluster.stop();
});
