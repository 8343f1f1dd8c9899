import { findCondition, formatTimestamp, isPodReady } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aPod, ControllerTestCluster } from "../../testing/test-cluster.ts";
import { TestKubelet } from "../../testing/test-kubelet.ts";
import type { ControllerManagerOptions } from "../../controller-options.ts";
import { nodeLifecycleController } from "./controller.ts";

const grace = 40_000;

async function startCluster(nodeCount: number, options: Partial<ControllerManagerOptions> = {}) {
  const cluster = new ControllerTestCluster(options);
  const kubelets = Array.from({ length: nodeCount }, (_, i) => new TestKubelet(cluster, `node-${i + 1}`));
  cluster.put("pods", aPod("web-1", { node: "node-1" }));
  await cluster.start(nodeLifecycleController);
  const kubelet = (index: number) => {
    const found = kubelets[index - 1];
    if (!found) throw new Error(`no kubelet ${index}`);
    return found;
  };
  const ready = (index: number) => findCondition(cluster.node(`node-${index}`).status?.conditions, "Ready")?.status;
  const taints = (index: number) =>
    (cluster.node(`node-${index}`).spec?.taints ?? []).map((taint) => `${taint.key.split("/")[1]}:${taint.effect}`);
  const evicting = () =>
    Array.from({ length: nodeCount }, (_, i) => i + 1).filter((index) =>
      taints(index).some((t) => t.endsWith("NoExecute")),
    );
  const paused = (index: number) =>
    findCondition(cluster.node(`node-${index}`).status?.conditions, "kintsugi.dev/EvictionsPaused");
  return { cluster, kubelets, kubelet, ready, taints, evicting, paused, clock: cluster.clock };
}

describe("a silent node", () => {
  test("is marked Unknown and tainted exactly one grace period after its last renewal", async () => {
    const { cluster, kubelet, ready, taints, clock } = await startCluster(3);
    await clock.advance(60_000);
    kubelet(1).alive = false;
    await clock.advance(grace - 1);
    expect([ready(1), taints(1)]).toEqual(["True", []]);
    await clock.advance(1);
    expect(ready(1)).toBe("Unknown");
    expect(taints(1)).toEqual(["unreachable:NoSchedule", "unreachable:NoExecute"]);
    expect(cluster.node("node-1").spec?.taints?.[1]?.timeAdded).toBe(formatTimestamp(clock.nowMs()));
    expect(findCondition(cluster.node("node-1").status?.conditions, "MemoryPressure")).toMatchObject({
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
    });
    expect([ready(2), taints(2)]).toEqual(["True", []]);
  });

  test("has its pods removed from service immediately, with an event", async () => {
    const { cluster, kubelet, clock } = await startCluster(3);
    cluster.put("pods", aPod("web-2", { node: "node-2" }));
    await clock.advance(1000);
    kubelet(1).alive = false;
    await clock.advance(grace);
    expect(cluster.pods().map((pod) => [pod.metadata.name, isPodReady(pod)])).toEqual([
      ["web-1", false],
      ["web-2", true],
    ]);
    expect(cluster.reasons().filter((reason) => reason.startsWith("NodeNotReady"))).toEqual([
      "NodeNotReady: Node node-1 status is now: NodeNotReady",
      "NodeNotReady: Node is not ready",
    ]);
  });

  test("that reports NotReady has its pods marked once, and its kubelet's status of them remains", async () => {
    const { cluster, kubelet, clock } = await startCluster(3);
    await clock.advance(1000);
    const marks = () => cluster.paths.filter((path) => path === "PUT /api/v1/namespaces/default/pods/web-1/status");
    const readiness = () => cluster.pods().map((pod) => isPodReady(pod));
    kubelet(1).postStatus("False");
    await clock.advance(1);
    expect([readiness(), marks().length]).toEqual([[false], 1]);
    // The node's kubelet runs, and reports that the pod serves.
    cluster.put("pods", aPod("web-1", { node: "node-1" }));
    await clock.advance(60_000);
    expect([readiness(), marks().length]).toEqual([[true], 1]);
    // The pods are marked again when the node goes down again.
    kubelet(1).postStatus("True");
    await clock.advance(60_000);
    kubelet(1).postStatus("False");
    await clock.advance(1);
    expect([readiness(), marks().length]).toEqual([[false], 2]);
  });

  test("loses its taints and gets no more taints when it returns", async () => {
    const { kubelet, ready, taints, clock } = await startCluster(3);
    kubelet(1).alive = false;
    await clock.advance(60_000);
    expect(taints(1)).toHaveLength(2);
    kubelet(1).return();
    await clock.advance(0);
    expect([ready(1), taints(1)]).toEqual(["True", []]);
    await clock.advance(600_000);
    expect([ready(1), taints(1)]).toEqual(["True", []]);
  });

  test("that reported NotReady changes its taint when it falls silent as well", async () => {
    const { kubelet, taints, clock } = await startCluster(3);
    await clock.advance(grace);
    kubelet(1).postStatus("False");
    await clock.advance(1);
    expect(taints(1)).toEqual(["not-ready:NoSchedule", "not-ready:NoExecute"]);
    kubelet(1).alive = false;
    await clock.advance(grace);
    expect(taints(1)).toEqual(["unreachable:NoSchedule", "unreachable:NoExecute"]);
  });

  test("is not marked if its Lease, read directly, was renewed", async () => {
    const { cluster, ready, clock } = await startCluster(3);
    await clock.advance(15_000);
    cluster.interfere = (request) => (request.path.includes("watch=true") ? "hang" : "pass");
    cluster.api.endWatches();
    await clock.advance(600_000);
    expect([ready(1), ready(2), ready(3)]).toEqual(["True", "True", "True"]);
  });

  test("is not marked if its renewal arrives by watch while its Lease is being read", async () => {
    const { cluster, kubelet, ready, clock } = await startCluster(3);
    await clock.advance(15_000);
    kubelet(1).alive = false;
    let readings = 0;
    cluster.interfere = ({ method, path }) => {
      if (method !== "GET" || !path.endsWith("/leases/node-1") || readings++ > 0) return "pass";
      kubelet(1).renewLease();
      return "late";
    };
    await clock.advance(grace + 10_000);
    expect([readings, ready(1)]).toEqual([1, "True"]);
    await clock.advance(grace);
    expect(ready(1)).toBe("Unknown");
  });

  test("that never reported gets conditions that state this after the startup grace period", async () => {
    const { cluster, clock } = await startCluster(2);
    const { metadata } = cluster.node("node-1");
    cluster.put("nodes", { metadata: { ...metadata, name: "late", uid: "late" }, status: {} } as never);
    await clock.advance(59_999);
    expect(cluster.node("late").status?.conditions).toBeUndefined();
    await clock.advance(1);
    expect(findCondition(cluster.node("late").status?.conditions, "Ready")).toMatchObject({
      status: "Unknown",
      reason: "NodeStatusNeverUpdated",
      message: "Kubelet never posted node status.",
    });
  });
});

describe("silence that the nodes do not cause", () => {
  test("an outage of the API server does not mark a node, however long it lasts", async () => {
    const { cluster, ready, taints, clock } = await startCluster(3);
    await clock.advance(25_000);
    cluster.api.isDown = true;
    await clock.advance(3_600_000);
    cluster.api.isDown = false;
    await clock.advance(600_000);
    expect([1, 2, 3].map((index) => [ready(index), taints(index)])).toEqual([
      ["True", []],
      ["True", []],
      ["True", []],
    ]);
    expect(cluster.reasons().filter((reason) => reason.startsWith("NodeNotReady"))).toEqual([]);
  });

  test("a node that failed before an outage is detected after it, and the time before the outage counts", async () => {
    const { cluster, kubelet, ready, clock } = await startCluster(3);
    await clock.advance(20_000);
    kubelet(1).alive = false;
    await clock.advance(20_000);
    cluster.api.isDown = true;
    await clock.advance(300_000);
    cluster.api.isDown = false;
    await clock.advance(15_000);
    expect(ready(1)).toBe("True");
    await clock.advance(20_000);
    expect(ready(1)).toBe("Unknown");
  });

  test("after a restart every node gets a whole grace period, and nothing is evicted during it", async () => {
    const { cluster, kubelet, ready, evicting, clock } = await startCluster(3);
    kubelet(1).alive = false;
    await clock.advance(30_000);
    await cluster.kill();
    await clock.advance(120_000);
    await cluster.start(nodeLifecycleController);
    await clock.advance(grace - 1);
    expect([ready(1), evicting()]).toEqual(["True", []]);
    await clock.advance(1);
    expect([ready(1), evicting()]).toEqual(["Unknown", [1]]);
  });

  test("a jump of wall time does not mark a node", async () => {
    const { ready, clock } = await startCluster(3);
    for (const jumpMs of [3_600_000, -7_200_000, 86_400_000]) {
      clock.jumpWallTime(jumpMs);
      await clock.advance(100_000);
    }
    expect([ready(1), ready(2), ready(3)]).toEqual(["True", "True", "True"]);
  });
});

describe("evictions are rate-limited", () => {
  test("nodes of one zone begin to be evicted ten seconds apart", async () => {
    const { kubelet, evicting, clock } = await startCluster(12);
    await clock.advance(grace);
    for (const index of [1, 2, 3, 4]) kubelet(index).alive = false;
    await clock.advance(grace);
    const counts: number[] = [evicting().length];
    for (let i = 0; i < 4; i++) {
      await clock.advance(10_000);
      counts.push(evicting().length);
    }
    expect(counts).toEqual([1, 2, 3, 4, 4]);
  });

  test("when all nodes are down nothing is evicted, and an event states the reason", async () => {
    const { cluster, kubelets, evicting, paused, ready, clock } = await startCluster(3);
    await clock.advance(25_000);
    for (const kubelet of kubelets) kubelet.alive = false;
    for (let i = 0; i < 120; i++) {
      await clock.advance(1000);
      expect(evicting()).toEqual([]);
    }
    expect([1, 2, 3].map((index) => ready(index))).toEqual(["Unknown", "Unknown", "Unknown"]);
    expect([1, 2, 3].map((index) => paused(index)?.reason)).toEqual(["AllZonesDown", "AllZonesDown", "AllZonesDown"]);
    expect(cluster.reasons().filter((reason) => reason.startsWith("EvictionsPaused"))).toHaveLength(3);
  });

  test("when one of the nodes returns the others have a whole grace period again", async () => {
    const { kubelets, kubelet, evicting, paused, clock } = await startCluster(3);
    for (const each of kubelets) each.alive = false;
    await clock.advance(200_000);
    kubelet(1).return();
    await clock.advance(grace - 1);
    expect(evicting()).toEqual([]);
    await clock.advance(1);
    expect(evicting()).toEqual([2]);
    expect([1, 2, 3].map((index) => paused(index))).toEqual([undefined, undefined, undefined]);
    await clock.advance(10_000);
    expect(evicting()).toEqual([2, 3]);
  });

  test("three of four nodes that fail together stop a small cluster before the first eviction, with an event", async () => {
    const { kubelet, evicting, paused, clock } = await startCluster(4);
    await clock.advance(grace);
    for (const index of [1, 2, 3]) kubelet(index).alive = false;
    await clock.advance(300_000);
    expect(evicting()).toEqual([]);
    expect(paused(1)).toMatchObject({ status: "True", reason: "ZoneUnhealthy" });
    expect(paused(1)?.message).toContain("3 of 4 nodes");
    kubelet(2).return();
    await clock.advance(20_000);
    expect(evicting().length).toBeGreaterThan(0);
    expect([1, 2, 3, 4].map((index) => paused(index))).toEqual([undefined, undefined, undefined, undefined]);
  });

  test("the profile kubernetes emits no such events", async () => {
    const { cluster, kubelets, evicting, paused, clock } = await startCluster(3, { announceEvictionPauses: false });
    for (const kubelet of kubelets) kubelet.alive = false;
    await clock.advance(200_000);
    expect([evicting(), paused(1)]).toEqual([[], undefined]);
    expect(cluster.reasons().some((reason) => reason.startsWith("Evictions"))).toBe(false);
  });
});

test("nodes that are added and removed are announced in upstream's words", async () => {
  const { cluster, clock } = await startCluster(1);
  expect(cluster.reasons()).toContain("RegisteredNode: Node node-1 event: Registered Node node-1 in Controller");
  cluster.remove("nodes", cluster.node("node-1"));
  await clock.advance(1);
  expect(cluster.reasons()).toContain("RemovingNode: Node node-1 event: Removing Node node-1 from Controller");
});

test("an idle cluster has no writes except the kubelets' own", async () => {
  const { cluster, clock } = await startCluster(5);
  await clock.advance(100_000);
  const before = cluster.api.requests.length;
  await clock.advance(600_000);
  const writes = cluster.api.requests.slice(before).filter((request) => !request.startsWith("GET"));
  expect(writes).toEqual([]);
});

test("the API server's availability is queried only while no Lease is renewed", async () => {
  const { cluster, kubelet, clock } = await startCluster(1, { nodeMonitorPeriodMs: 15_000 });
  const probes = () => cluster.paths.filter((path) => path === "GET /readyz").length;
  await clock.advance(60_000);
  const before = probes();
  await clock.advance(600_000);
  expect(probes()).toBe(before);
  kubelet(1).alive = false;
  await clock.advance(60_000);
  expect(probes() - before).toBeGreaterThanOrEqual(3);
});
