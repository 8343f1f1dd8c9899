import { formatTimestamp, type Node, type Pod, type PodDisruptionBudget, type ReplicaSet } from "@kintsugi/api";
import { expect, test } from "vitest";
import { aNode, aPod, aReplicaSet, ControllerTestCluster } from "../../testing/test-cluster.ts";
import { replicaSetController } from "../replica-set/controller.ts";
import { rebalanceController } from "./controller.ts";

const record = "kintsugi.dev/rebalance-record";
const minute = 60_000;

/** A set of four on two of three nodes, and an API server that evicts. */
class CrowdedCluster extends ControllerTestCluster {
  readonly evictions: string[] = [];
  refuse = false;

  constructor(isOn = true) {
    super({ rebalance: isOn });
    const set = aReplicaSet("web", 4);
    const counted: ReplicaSet = { ...set, status: { replicas: 4, observedGeneration: 1 } };
    this.put("replicasets", counted);
    for (const name of ["node-1", "node-2", "node-3"]) this.put("nodes", withRoom(aNode(name)));
    for (const [i, name] of ["a", "b", "c", "d"].entries())
      this.put("pods", aPod(name, { node: i < 2 ? "node-1" : "node-2", owner: set }));
    this.interfere = (request) => {
      const [, name] = /\/pods\/([^/]+)\/eviction$/.exec(request.path) ?? [];
      if (name === undefined) return "pass";
      this.evictions.push(name);
      if (this.refuse) return "pass";
      const pod = this.find<Pod>("pods", name);
      if (pod) this.remove("pods", pod);
      const status = { kind: "Status", apiVersion: "v1", status: "Success" };
      this.answers.set(request.path, status);
      return "pass";
    };
  }

  /** Binds the pods without a node to this node, and runs them. */
  run(node: string): void {
    for (const pod of this.pods().filter(({ spec }) => (spec?.nodeName ?? "") === "")) {
      const fresh = aPod(pod.metadata.name ?? "", { node, readySinceMs: this.clock.nowMs() });
      const metadata = { ...pod.metadata, creationTimestamp: formatTimestamp(this.clock.nowMs()) };
      const spec = { containers: [], ...pod.spec, nodeName: node };
      this.put("pods", { ...pod, metadata, spec, status: fresh.status } as Pod);
    }
  }

  record(): { moved: string[]; move?: object; blocked?: string } | undefined {
    const text = this.find<ReplicaSet>("replicasets", "web")?.metadata.annotations?.[record];
    return text === undefined ? undefined : (JSON.parse(text) as { moved: string[] });
  }
}

function withRoom(node: Node): Node {
  const allocatable = { cpu: "4", memory: "8Gi", pods: "110" };
  const labels = { "kubernetes.io/hostname": node.metadata.name ?? "" };
  return { ...node, metadata: { ...node.metadata, labels }, status: { ...node.status, allocatable } };
}

async function started(isOn = true): Promise<CrowdedCluster> {
  const cluster = new CrowdedCluster(isOn);
  await cluster.start(replicaSetController, rebalanceController);
  await cluster.clock.advance(2 * minute);
  return cluster;
}

test("a pod of an uneven spread is evicted, events on it and on its owner state the reason, and the rest remain", async () => {
  const cluster = await started();
  expect(cluster.evictions).toHaveLength(1);
  expect(cluster.record()?.move).toMatchObject({ from: "node-1", to: "node-3", crowd: 2 });
  const told = cluster.events.filter(({ reason }) => reason === "Rebalanced");
  expect(told.map(({ about }) => about.kind)).toEqual(["Pod", "ReplicaSet"]);
  expect(told[0]?.message).toMatch(
    /^Moving pod [ab]: 2 of the 4 pods of ReplicaSet default\/web are on node node-1 and 0 on node node-3, which the scheduler scores \d+ instead of \d+$/,
  );
  // The replacement is not Ready, so no other pod moves, for as long as that takes.
  await cluster.clock.advance(2 * minute);
  expect(cluster.evictions).toHaveLength(1);
  cluster.run("node-3");
  await cluster.clock.advance(30 * minute);
  expect(cluster.record()).toMatchObject({ moved: [expect.any(String)] });
  expect(cluster.record()?.move).toBeUndefined();
  expect(cluster.evictions).toHaveLength(1);
});

test("a replacement that lands on the old node is not moved again until the nodes change", async () => {
  const cluster = await started();
  cluster.run("node-1");
  await cluster.clock.advance(60 * minute);
  expect(cluster.evictions).toHaveLength(1);
  expect(cluster.record()?.blocked).toContain("is on node node-1 and not on node node-3");
  expect(cluster.reasons().filter((text) => text.startsWith("RebalanceStopped"))).toHaveLength(1);

  const node = withRoom(aNode("node-4", { nowMs: cluster.clock.nowMs() }));
  cluster.put("nodes", node);
  await cluster.clock.advance(10 * minute);
  expect(cluster.evictions).toHaveLength(2);
});

test("without --rebalance no pod is moved", async () => {
  const cluster = await started(false);
  await cluster.clock.advance(60 * minute);
  expect(cluster.evictions).toEqual([]);
});

test("a budget that allows no disruption is not tried", async () => {
  const cluster = new CrowdedCluster();
  const budget: PodDisruptionBudget = {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "keep", namespace: "default" },
    spec: { minAvailable: 4, selector: { matchLabels: { app: "web" } } },
    status: { disruptionsAllowed: 0, currentHealthy: 4, desiredHealthy: 4, expectedPods: 4 },
  };
  cluster.put("poddisruptionbudgets", budget);
  await cluster.start(replicaSetController, rebalanceController);
  await cluster.clock.advance(30 * minute);
  expect(cluster.evictions).toEqual([]);
});

test("a server that refuses is queried again only after the cool-down", async () => {
  const cluster = new CrowdedCluster();
  cluster.refuse = true;
  await cluster.start(replicaSetController, rebalanceController);
  await cluster.clock.advance(3 * minute);
  expect(cluster.evictions).toHaveLength(1);
  expect(cluster.record()?.move).toBeUndefined();
  await cluster.clock.advance(5 * minute);
  expect(cluster.evictions).toHaveLength(2);
});

test("an API server that is unreachable does not end the process, and the move continues when it returns", async () => {
  const cluster = new CrowdedCluster();
  const evicting = cluster.interfere;
  cluster.interfere = (request) => (request.method === "PATCH" ? "refuse" : evicting(request));
  await cluster.start(replicaSetController, rebalanceController);
  await cluster.clock.advance(3 * minute);
  expect(cluster.evictions).toEqual([]);
  cluster.interfere = evicting;
  await cluster.clock.advance(minute);
  expect(cluster.evictions).toHaveLength(1);
});

test("a process that is killed between record and eviction reverts the move and retries later", async () => {
  const cluster = new CrowdedCluster();
  const evicting = cluster.interfere;
  cluster.interfere = (request) => (request.path.endsWith("/eviction") ? "hang" : evicting(request));
  await cluster.start(replicaSetController, rebalanceController);
  await cluster.clock.advance(61_000);
  expect(cluster.record()?.move).toBeDefined();
  await cluster.kill();
  cluster.interfere = evicting;
  await cluster.start(replicaSetController, rebalanceController);
  await cluster.clock.advance(minute);
  expect(cluster.evictions).toEqual([]);
  expect(cluster.record()?.move).toBeUndefined();
  await cluster.clock.advance(6 * minute);
  expect(cluster.evictions).toHaveLength(1);
});

test("a process that is killed after the eviction continues with the move", async () => {
  const cluster = await started();
  await cluster.kill();
  await cluster.start(replicaSetController, rebalanceController);
  await cluster.clock.advance(2 * minute);
  cluster.run("node-3");
  await cluster.clock.advance(30 * minute);
  expect(cluster.evictions).toHaveLength(1);
  expect(cluster.record()?.moved).toHaveLength(1);
});

test("no pod is evicted if the cache has an older owner than the API", async () => {
  const cluster = new CrowdedCluster();
  cluster.delay = (path) => (path.includes("replicasets") ? 10 * minute : 0);
  await cluster.start(replicaSetController, rebalanceController);
  const set = cluster.find<ReplicaSet>("replicasets", "web");
  if (set) cluster.put("replicasets", { ...set, metadata: { ...set.metadata, labels: { at: formatTimestamp(0) } } });
  await cluster.clock.advance(3 * minute);
  expect(cluster.evictions).toEqual([]);
});
