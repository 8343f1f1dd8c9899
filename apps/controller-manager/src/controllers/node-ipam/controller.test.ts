import { type Node } from "@kintsugi/api";
import { createMetrics } from "@kintsugi/daemon";
import { describe, expect, test } from "vitest";
import { aNode, ControllerTestCluster } from "../../testing/test-cluster.ts";
import { nodeIpamController } from "./controller.ts";

function put(cluster: ControllerTestCluster, name: string, changes: { podCidr?: string; address?: string } = {}): void {
  const { podCidr, address } = changes;
  const node = aNode(name, { nowMs: cluster.clock.nowMs() });
  cluster.put("nodes", {
    ...node,
    ...(podCidr === undefined ? {} : { spec: { podCIDR: podCidr, podCIDRs: [podCidr] } }),
    ...(address === undefined ? {} : { status: { ...node.status, addresses: [{ type: "InternalIP", address }] } }),
  } as Node);
}

const rangeOf = (cluster: ControllerTestCluster, name: string) => cluster.node(name).spec?.podCIDR;

async function start(cluster: ControllerTestCluster, clusterCidr = "10.200.128.0/22"): Promise<void> {
  cluster.options = { ...cluster.options, allocateNodeCidrs: true, clusterCidr };
  await cluster.start(nodeIpamController);
}

describe("the pod ranges of nodes", () => {
  test("are assigned to nodes without a range, in addition to existing ranges and on machines with their own addresses", async () => {
    const cluster = new ControllerTestCluster();
    put(cluster, "before", { podCidr: "10.200.129.0/24" });
    put(cluster, "elsewhere", { podCidr: "10.200.11.0/24" });
    put(cluster, "a", { address: "10.200.128.7" });
    await start(cluster);
    put(cluster, "b");
    await cluster.clock.settle();
    expect([rangeOf(cluster, "a"), rangeOf(cluster, "b")]).toEqual(["10.200.130.0/24", "10.200.131.0/24"]);
    expect(cluster.node("a").spec?.podCIDRs).toEqual(["10.200.130.0/24"]);
    expect(rangeOf(cluster, "elsewhere")).toBe("10.200.11.0/24");
    await cluster.stop();
  });

  test("that are exhausted are reported in an Event, and a deleted node's range is assigned to a waiting node", async () => {
    const cluster = new ControllerTestCluster();
    await start(cluster, "10.200.128.0/23");
    for (const name of ["a", "b", "c"]) {
      put(cluster, name);
      await cluster.clock.settle();
    }
    expect(rangeOf(cluster, "c")).toBeUndefined();
    expect(cluster.reasons()).toEqual(["CIDRNotAvailable: Node c status is now: CIDRNotAvailable"]);
    cluster.remove("nodes", cluster.node("a"));
    await cluster.clock.settle();
    expect(rangeOf(cluster, "c")).toBe("10.200.128.0/24");
    await cluster.stop();
  });

  test("are awaited in turn, without a request or an event for changes in the meantime", async () => {
    const cluster = new ControllerTestCluster();
    await start(cluster, "10.200.128.0/23");
    for (const name of ["a", "b", "c", "gone", "d"]) {
      put(cluster, name);
      await cluster.clock.settle();
    }
    const looks = () => cluster.paths.filter((path) => path.includes("/nodes/"));
    const before = looks();
    put(cluster, "c", { address: "192.0.2.7" });
    await cluster.clock.advance(600_000);
    expect(looks()).toEqual(before);
    expect(cluster.reasons()).toHaveLength(3);
    // The node was deleted while it waited, so the next node takes its place in the queue.
    cluster.remove("nodes", cluster.node("gone"));
    for (const name of ["a", "b"]) cluster.remove("nodes", cluster.node(name));
    await cluster.clock.settle();
    expect([rangeOf(cluster, "c"), rangeOf(cluster, "d")]).toEqual(["10.200.128.0/24", "10.200.129.0/24"]);
    await cluster.stop();
  });

  test("are free again if the node is removed before its assignment", async () => {
    const cluster = new ControllerTestCluster();
    await start(cluster, "10.200.128.0/24");
    cluster.interfere = ({ method }) => (method === "PUT" ? "refuse" : "pass");
    put(cluster, "a");
    await cluster.clock.advance(10);
    cluster.remove("nodes", cluster.node("a"));
    cluster.interfere = () => "pass";
    put(cluster, "b");
    await cluster.clock.settle();
    expect(rangeOf(cluster, "b")).toBe("10.200.128.0/24");
    await cluster.stop();
  });

  test("are the same after a lost response, and are not assigned to another node", async () => {
    const cluster = new ControllerTestCluster();
    await start(cluster);
    cluster.interfere = ({ method }) => (method === "PUT" ? "refuse" : "pass");
    put(cluster, "a");
    put(cluster, "b");
    await cluster.clock.advance(10);
    expect(rangeOf(cluster, "a")).toBeUndefined();
    expect(cluster.reasons()).toContain("CIDRAssignmentFailed: Node a status is now: CIDRAssignmentFailed");
    cluster.interfere = ({ method }) => (method === "PUT" ? "lose answer" : "pass");
    await cluster.clock.advance(60_000);
    cluster.interfere = () => "pass";
    put(cluster, "c");
    await cluster.clock.advance(60_000);
    const given = ["a", "b", "c"].map((name) => rangeOf(cluster, name));
    expect(given).toEqual(["10.200.128.0/24", "10.200.129.0/24", "10.200.130.0/24"]);
    await cluster.stop();
  });

  test("exclude reserved ranges", async () => {
    const cluster = new ControllerTestCluster();
    cluster.options = { ...cluster.options, nodeCidrReserved: ["10.200.128.0/23", "10.200.131.0/24"] };
    await start(cluster);
    put(cluster, "a");
    put(cluster, "b");
    await cluster.clock.settle();
    expect([rangeOf(cluster, "a"), rangeOf(cluster, "b")]).toEqual(["10.200.130.0/24", undefined]);
    await cluster.stop();
  });

  test("that lie outside the cluster's range are reported once, at the start and when such a node is added", async () => {
    const cluster = new ControllerTestCluster();
    put(cluster, "inside", { podCidr: "10.200.131.0/24" });
    put(cluster, "below", { podCidr: "10.200.127.0/24" });
    put(cluster, "larger", { podCidr: "10.200.0.0/16" });
    await start(cluster);
    put(cluster, "above", { podCidr: "10.200.132.0/24" });
    put(cluster, "below", { podCidr: "10.200.127.0/24", address: "10.200.0.1" });
    await cluster.clock.settle();
    expect(cluster.reasons().toSorted()).toEqual([
      "CIDROutsideOfCluster: The range 10.200.0.0/16 of node larger is outside of the cluster's range 10.200.128.0/22",
      "CIDROutsideOfCluster: The range 10.200.127.0/24 of node below is outside of the cluster's range 10.200.128.0/22",
      "CIDROutsideOfCluster: The range 10.200.132.0/24 of node above is outside of the cluster's range 10.200.128.0/22",
    ]);
    expect(rangeOf(cluster, "below")).toBe("10.200.127.0/24");
    await cluster.stop();
  });

  test("survive a crash between any two writes, because a new process reads them from the nodes", async () => {
    const cluster = new ControllerTestCluster();
    await start(cluster);
    put(cluster, "a");
    await cluster.clock.settle();
    await cluster.kill();
    put(cluster, "b");
    await start(cluster);
    expect([rangeOf(cluster, "a"), rangeOf(cluster, "b")]).toEqual(["10.200.128.0/24", "10.200.129.0/24"]);
    await cluster.stop();
  });

  test("are counted under upstream's names", async () => {
    const cluster = new ControllerTestCluster();
    const metrics = createMetrics();
    cluster.metrics = metrics;
    await start(cluster);
    put(cluster, "a");
    await cluster.clock.settle();
    cluster.remove("nodes", cluster.node("a"));
    await cluster.clock.settle();
    const lines = (await metrics.exposition()).split("\n").filter((line) => line.startsWith("node_ipam_controller"));
    const label = '{clusterCIDR="10.200.128.0/22"}';
    for (const line of [
      `node_ipam_controller_cidrset_cidrs_allocations_total${label} 1`,
      `node_ipam_controller_cidrset_cidrs_releases_total${label} 1`,
      `node_ipam_controller_cirdset_max_cidrs${label} 4`,
      `node_ipam_controller_cidrset_usage_cidrs${label} 0`,
      `node_ipam_controller_cidrset_allocation_tries_per_request_count${label} 1`,
    ])
      expect(lines).toContain(line);
    await cluster.stop();
  });
});
