import {
  isPodActive,
  findCondition,
  leases,
  type Node,
  nodes,
  parseTimestamp,
  type Pod,
  pods,
  profiles,
  replicaSets,
} from "@kintsugi/api";
import { aReplicaSet, firstChange, isReady } from "@kintsugi/simulation";
import { describe, expect, test } from "vitest";
import { startVirtualCluster, type VirtualCluster } from "@kintsugi/simulator/factory";

const second = 1000;
const graceMs = profiles.kubernetes.nodeMonitorGracePeriodMs;
const tolerationMs = profiles.kubernetes.defaultTolerationSeconds * second;

describe("a failed node, in profile kubernetes", () => {
  test("is Unknown and tainted exactly 50 s after its last renewal, and its pods are marked exactly 300 s later", async () => {
    await using cluster = await startWithPods();
    // The Lease is renewed every 10 s; silence counts from the last renewal, so up to 10 s of it
    // have passed when the node fails.
    await cluster.advance(4 * second);
    const lastRenewalMs = await renewedMs(cluster, "node-2");
    const victims = await podsOn(cluster, "node-2");
    expect(victims).toHaveLength(2);
    cluster.killNode("node-2");

    const unknown = await firstChange<Node>(cluster, "core/nodes", {
      matches: (node) => node.metadata.name === "node-2" && readyOf(node) === "Unknown",
      withinMs: 61 * second,
    });
    expect(unknown.atMs - lastRenewalMs).toBe(graceMs);
    const tainted = await cluster.client.get(nodes, { namespace: "", name: "node-2" });
    expect(findCondition(tainted.status?.conditions, "Ready")).toMatchObject({
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
    });
    expect(tainted.spec?.taints?.map(({ key, effect }) => `${key}:${effect}`).sort()).toEqual([
      "node.kubernetes.io/unreachable:NoExecute",
      "node.kubernetes.io/unreachable:NoSchedule",
    ]);
    for (const pod of await podsOn(cluster, "node-2")) expect(isReady(pod)).toBe(false);
    expect(cluster.clock.nowMs()).toBe(unknown.atMs);

    const marked = await firstChange<Pod>(cluster, "core/pods", {
      matches: (pod) => pod.spec?.nodeName === "node-2" && pod.metadata.deletionTimestamp !== undefined,
      withinMs: tolerationMs + second,
    });
    expect(marked.atMs - unknown.atMs).toBe(tolerationMs);
    await cluster.advance(second);
    const all = await listPods(cluster);
    const active = all.filter(isPodActive);
    expect(active.filter(isReady)).toHaveLength(6);
    expect(active.map(({ spec }) => spec?.nodeName)).not.toContain("node-2");
    // The node's pods remain visible until its kubelet confirms that they no longer exist.
    expect(names(all.filter((pod) => !isPodActive(pod)))).toEqual(names(victims));
  });

  test("removes its replaced pods, and loses its taints, when it returns", async () => {
    await using cluster = await startWithPods();
    cluster.killNode("node-2");
    await cluster.advance(graceMs + tolerationMs + 20 * second);
    cluster.returnNode("node-2");
    await cluster.advance(60 * second);
    expect(isReady(await cluster.client.get(nodes, { namespace: "", name: "node-2" }))).toBe(true);
    expect((await cluster.client.get(nodes, { namespace: "", name: "node-2" })).spec?.taints ?? []).toEqual([]);
    expect((await listPods(cluster)).filter(isReady)).toHaveLength(6);
    expect(await listPods(cluster)).toHaveLength(6);
    expect(await cluster.node("node-2").running()).toEqual([]);
  });
});

describe("a node that returns in time, in profile kubernetes", () => {
  test("keeps its pods and their containers when it was cut off for 200 s", async () => {
    await using cluster = await startWithPods();
    const before = await cluster.node("node-2").running();
    expect(before).toHaveLength(2);
    const podsBefore = uids(await listPods(cluster));
    cluster.partition("node-2");
    await cluster.advance(200 * second);
    expect(readyOf(await cluster.client.get(nodes, { namespace: "", name: "node-2" }))).toBe("Unknown");
    cluster.heal("node-2");
    await cluster.advance(400 * second);
    expect(await cluster.node("node-2").running()).toEqual(before);
    expect(uids(await listPods(cluster))).toEqual(podsBefore);
    expect((await listPods(cluster)).filter(isReady)).toHaveLength(6);
    expect((await cluster.client.get(nodes, { namespace: "", name: "node-2" })).spec?.taints ?? []).toEqual([]);
  });

  test("keeps them when only its kubelet was down: no container is restarted or stopped", async () => {
    await using cluster = await startWithPods();
    const before = await cluster.node("node-1").running();
    const podsBefore = (await listPods(cluster)).map(({ metadata }) => metadata.resourceVersion);
    for (const awayMs of [1, 5, 30]) {
      cluster.stopKubelet("node-1");
      await cluster.advance(awayMs * second);
      cluster.startKubelet("node-1");
      await cluster.advance(90 * second);
    }
    expect(await cluster.node("node-1").running()).toEqual(before);
    expect(cluster.node("node-1").runtime.callsOf("stopContainer")).toEqual([]);
    expect(cluster.node("node-1").runtime.callsOf("createContainer")).toHaveLength(2);
    // Not even a status was written.
    expect((await listPods(cluster)).map(({ metadata }) => metadata.resourceVersion)).toEqual(podsBefore);
  });
});

describe("false signs of failed nodes", () => {
  test("no pod is evicted while all nodes are down, nor when they return", async () => {
    await using cluster = await startWithPods();
    const before = uids(await listPods(cluster));
    for (const { name } of cluster.nodes) cluster.partition(name);
    await cluster.advance(1200 * second);
    for (const { name } of cluster.nodes) {
      const node = await cluster.client.get(nodes, { namespace: "", name });
      expect(readyOf(node)).toBe("Unknown");
      expect(node.spec?.taints?.filter(({ effect }) => effect === "NoExecute") ?? []).toEqual([]);
    }
    for (const { name } of cluster.nodes) cluster.heal(name);
    await cluster.advance(600 * second);
    expect(uids(await listPods(cluster))).toEqual(before);
    expect((await listPods(cluster)).filter(isReady)).toHaveLength(6);
  });

  test("no node is marked and no pod is evicted if the API server is down for longer than the grace period and the tolerations", async () => {
    await using cluster = await startWithPods();
    const before = uids(await listPods(cluster));
    const transitions = await readyTransitions(cluster);
    cluster.server.process.kill();
    await cluster.advance(600 * second);
    cluster.server.process.start();
    await cluster.advance(400 * second);
    expect(uids(await listPods(cluster))).toEqual(before);
    expect(await readyTransitions(cluster)).toEqual(transitions);
    expect((await listPods(cluster)).filter(isReady)).toHaveLength(6);
  });

  test("a controller-manager that was down while a node renewed counts only the silence that it has observed", async () => {
    await using cluster = await startWithPods();
    cluster.controllerManager.kill();
    await cluster.advance(120 * second);
    cluster.controllerManager.start();
    const transitions = await readyTransitions(cluster);
    await cluster.advance(120 * second);
    expect(await readyTransitions(cluster)).toEqual(transitions);
  });
});

test("in profile fast the pods of a killed node run on other nodes within 15 s", async () => {
  await using cluster = await startWithPods("fast");
  cluster.killNode("node-3");
  const { nodeMonitorGracePeriodMs, defaultTolerationSeconds } = profiles.fast;
  await cluster.advance(nodeMonitorGracePeriodMs + defaultTolerationSeconds * second + 2 * second);
  const active = (await listPods(cluster)).filter(isPodActive);
  expect(active.filter(isReady)).toHaveLength(6);
  expect(active.map(({ spec }) => spec?.nodeName)).not.toContain("node-3");
});

async function startWithPods(profile: "kubernetes" | "fast" = "kubernetes"): Promise<VirtualCluster> {
  const cluster = await startVirtualCluster({ nodes: 3, profile });
  await cluster.client.create(replicaSets, aReplicaSet("web", 6));
  // The time is beyond that in which a controller that has just started judges no node.
  await cluster.advance(120 * second);
  for (const { name } of cluster.nodes) expect(await podsOn(cluster, name)).toHaveLength(2);
  expect((await listPods(cluster)).filter(isReady)).toHaveLength(6);
  return cluster;
}

async function listPods(cluster: VirtualCluster): Promise<Pod[]> {
  return (await cluster.client.list(pods, { namespace: "default" })).items;
}

async function podsOn(cluster: VirtualCluster, node: string): Promise<Pod[]> {
  return (await listPods(cluster)).filter(({ spec }) => spec?.nodeName === node);
}

async function renewedMs(cluster: VirtualCluster, node: string): Promise<number> {
  const lease = await cluster.client.get(leases, { namespace: "kube-node-lease", name: node });
  return parseTimestamp(lease.spec?.renewTime ?? "");
}

async function readyTransitions(cluster: VirtualCluster): Promise<(string | undefined)[]> {
  const { items } = await cluster.client.list(nodes);
  return items.map(({ status }) => findCondition(status?.conditions, "Ready")?.lastTransitionTime);
}

function readyOf(node: Node): string | undefined {
  return findCondition(node.status?.conditions, "Ready")?.status;
}

function names(list: readonly Pod[]): string[] {
  return list.map(({ metadata }) => metadata.name ?? "").sort();
}

function uids(list: readonly Pod[]): string[] {
  return list.map(({ metadata }) => metadata.uid ?? "").sort();
}
