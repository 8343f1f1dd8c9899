import {
  controllerReference,
  deployments,
  findCondition,
  formatTimestamp,
  type Node,
  type Pod,
  type PodDisruptionBudget,
  type Toleration,
} from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aDeployment } from "../deployment/testing/rollout-world.ts";
import type { ControllerManagerOptions } from "../../controller-options.ts";
import { nodeLifecycleController } from "../node-lifecycle/controller.ts";
import { replicaSetController } from "../replica-set/controller.ts";
import { aNode, aPod, aReplicaSet, ControllerTestCluster } from "../../testing/test-cluster.ts";
import { TestKubelet } from "../../testing/test-kubelet.ts";
import { taintEvictionController } from "./controller.ts";

const all = [nodeLifecycleController, taintEvictionController];
const grace = 40_000;

const unreachableFor = (tolerationSeconds: number): Toleration => ({
  key: "node.kubernetes.io/unreachable",
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds,
});

async function startCluster(options: Partial<ControllerManagerOptions> = {}) {
  const cluster = new ControllerTestCluster(options);
  const kubelets = ["node-1", "node-2", "node-3"].map((name) => new TestKubelet(cluster, name));
  cluster.put("pods", aPod("web", { node: "node-1", tolerations: [unreachableFor(300)] }));
  cluster.put("pods", aPod("quick", { node: "node-1", tolerations: [unreachableFor(5)] }));
  cluster.put("pods", aPod("daemon", { node: "node-1", tolerations: [{ operator: "Exists" }] }));
  cluster.put("pods", aPod("elsewhere", { node: "node-2", tolerations: [unreachableFor(300)] }));
  await cluster.start(...all);
  const going = () =>
    cluster.pods().flatMap((pod) => (pod.metadata.deletionTimestamp === undefined ? [] : [pod.metadata.name]));
  const [first] = kubelets as [TestKubelet];
  return { cluster, clock: cluster.clock, first, going };
}

describe("pods of a failed node", () => {
  test("are evicted exactly when their toleration ends, unless they tolerate the taint forever", async () => {
    const { cluster, clock, first, going } = await startCluster();
    await clock.advance(60_000);
    first.alive = false;
    await clock.advance(grace + 4999);
    expect(going()).toEqual([]);
    await clock.advance(1);
    expect(going()).toEqual(["quick"]);
    await clock.advance(294_999);
    expect(going()).toEqual(["quick"]);
    await clock.advance(1);
    expect(going()).toEqual(["quick", "web"]);
    await clock.advance(3_600_000);
    expect(going()).toEqual(["quick", "web"]);
    expect(cluster.reasons()).toContain("TaintManagerEviction: Marking for deletion Pod default/web");
    expect(findCondition(cluster.find<Pod>("pods", "web")?.status?.conditions, "DisruptionTarget")).toMatchObject({
      status: "True",
      reason: "DeletionByTaintManager",
      message: "Taint manager: deleting due to NoExecute taint",
    });
  });

  test("remain if it returns in time, with an event", async () => {
    const { cluster, clock, first, going } = await startCluster();
    first.alive = false;
    await clock.advance(90_000);
    first.return();
    await clock.advance(3_600_000);
    expect(going()).toEqual(["quick"]);
    expect(cluster.reasons()).toContain("TaintManagerEviction: Cancelling deletion of Pod default/web");
    expect(cluster.reasons().filter((reason) => reason.includes("Marking"))).toHaveLength(1);
  });

  test("get a fresh delay if it fails again", async () => {
    const { clock, first, going } = await startCluster();
    first.alive = false;
    await clock.advance(200_000);
    first.return();
    await clock.advance(10_000);
    first.alive = false;
    await clock.advance(grace + 290_000);
    expect(going()).toEqual(["quick"]);
    await clock.advance(20_000);
    expect(going()).toEqual(["quick", "web"]);
  });

  test("are evicted at the same time although the controller was restarted in the meantime", async () => {
    const { cluster, clock, first, going } = await startCluster();
    await clock.advance(10_000);
    first.alive = false;
    await clock.advance(grace + 100_000);
    await cluster.kill();
    await clock.advance(50_000);
    await cluster.start(...all);
    await clock.advance(149_000);
    expect(going()).toEqual(["quick"]);
    await clock.advance(2000);
    expect(going()).toEqual(["quick", "web"]);
  });

  test("are not evicted earlier because of a jump of wall time", async () => {
    const { clock, first, going } = await startCluster();
    first.alive = false;
    await clock.advance(grace + 60_000);
    clock.jumpWallTime(86_400_000);
    await clock.advance(200_000);
    expect(going()).toEqual(["quick"]);
  });

  test("remain although the cache is due, if the server shows that the node has returned", async () => {
    const { cluster, clock, first, going } = await startCluster();
    first.alive = false;
    await clock.advance(grace + 100_000);
    cluster.interfere = (request) =>
      request.path.includes("/nodes") && request.path.includes("watch=true") ? "hang" : "pass";
    cluster.api.endWatches();
    await clock.advance(1000);
    first.return();
    cluster.put("nodes", { ...cluster.node("node-1"), spec: {} } as Node);
    await clock.advance(600_000);
    expect(going()).toEqual(["quick"]);
  });

  test("are replaced on other nodes as soon as they are deleted", async () => {
    const cluster = new ControllerTestCluster();
    const kubelets = ["node-1", "node-2", "node-3"].map((name) => new TestKubelet(cluster, name));
    const set = aReplicaSet("web", 2);
    cluster.put("replicasets", set);
    for (const name of ["a", "b"]) {
      cluster.put("pods", aPod(name, { node: "node-1", owner: set, tolerations: [unreachableFor(300)] }));
    }
    await cluster.start(...all, replicaSetController);
    await cluster.clock.advance(grace);
    const [first] = kubelets as [TestKubelet];
    first.alive = false;
    await cluster.clock.advance(grace + 299_000);
    expect(cluster.pods()).toHaveLength(2);
    await cluster.clock.advance(2000);
    const fresh = cluster.pods().filter((pod) => pod.metadata.deletionTimestamp === undefined);
    expect([cluster.pods().length, fresh.length]).toEqual([4, 2]);
  });
});

describe("a manual taint", () => {
  const tainted = (cluster: ControllerTestCluster) => {
    const taints = [{ key: "repair", effect: "NoExecute" as const, timeAdded: formatTimestamp(cluster.clock.nowMs()) }];
    cluster.put("nodes", { ...cluster.node("node-1"), spec: { taints } } as Node);
  };
  const budget: PodDisruptionBudget = {
    metadata: { name: "web", namespace: "default" },
    spec: { minAvailable: 2, selector: { matchLabels: { app: "web" } } },
  };

  async function threeReadyPods(options: Partial<ControllerManagerOptions>) {
    const cluster = new ControllerTestCluster(options);
    cluster.put("nodes", aNode("node-1"));
    for (const name of ["a", "b", "c"]) cluster.put("pods", aPod(name, { node: "node-1" }));
    cluster.put("pods", aPod("down", { node: "node-1", ready: false }));
    cluster.put("poddisruptionbudgets", budget);
    await cluster.start(taintEvictionController);
    tainted(cluster);
    await cluster.clock.advance(30_000);
    const staying = cluster.pods().filter((pod) => pod.metadata.deletionTimestamp === undefined);
    return { cluster, staying };
  }

  test("evicts unready pods, and Ready pods only as far as the budget allows", async () => {
    const { cluster, staying } = await threeReadyPods({ evictionPdbPolicy: "respect" });
    expect(staying).toHaveLength(2);
    expect(cluster.find<Pod>("pods", "down")?.metadata.deletionTimestamp).toBeDefined();
    const held = cluster.reasons().filter((reason) => reason.includes("Holding deletion"));
    expect(held).toHaveLength(2);
    expect(held[0]).toContain("PodDisruptionBudget web requires 2 healthy pods and has 2");
    cluster.put("pods", aPod("new", { node: "node-2" }));
    await cluster.clock.advance(10_000);
    expect(cluster.pods().filter((pod) => pod.metadata.deletionTimestamp !== undefined)).toHaveLength(3);
  });

  test("evicts a deployment's pods as far as the budget allows for the deployment's size, even in a rollout", async () => {
    const cluster = new ControllerTestCluster({ evictionPdbPolicy: "respect" });
    const deployment = aDeployment(2);
    const ownerReferences = [controllerReference(deployment, deployments)];
    const ofIt = (name: string, replicas: number) => {
      const set = aReplicaSet(name, replicas);
      return { ...set, metadata: { ...set.metadata, ownerReferences } };
    };
    const [old, fresh] = [ofIt("web-old", 2), ofIt("web-new", 1)];
    cluster.put("nodes", aNode("node-1"));
    cluster.put("deployments", deployment);
    for (const set of [old, fresh]) cluster.put("replicasets", set);
    for (const name of ["a", "b"]) cluster.put("pods", aPod(name, { node: "node-1", owner: old }));
    cluster.put("pods", aPod("c", { node: "node-1", owner: fresh }));
    const spec = { maxUnavailable: 1, selector: { matchLabels: { app: "web" } } };
    cluster.put("poddisruptionbudgets", { ...budget, spec } as PodDisruptionBudget);
    await cluster.start(taintEvictionController);
    tainted(cluster);
    await cluster.clock.advance(30_000);
    expect(cluster.pods().filter((pod) => pod.metadata.deletionTimestamp === undefined)).toHaveLength(1);
    expect(cluster.reasons()).toContainEqual(
      expect.stringContaining("PodDisruptionBudget web requires 1 healthy pods and has 1"),
    );
    await cluster.stop();
  });

  test("gives pods their whole time on a recreated Node, regardless of the earlier Node's taints", async () => {
    const cluster = new ControllerTestCluster();
    const repair: Toleration = { key: "repair", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 };
    cluster.put("nodes", aNode("node-1"));
    cluster.put("pods", aPod("a", { node: "node-1", tolerations: [repair] }));
    await cluster.start(taintEvictionController);
    tainted(cluster);
    await cluster.clock.advance(200_000);
    const { metadata } = aNode("node-1");
    cluster.remove("nodes", cluster.node("node-1"));
    cluster.put("nodes", { ...aNode("node-1"), metadata: { ...metadata, uid: "node-1-anew" } } as Node);
    tainted(cluster);
    await cluster.clock.advance(295_000);
    expect(cluster.find<Pod>("pods", "a")?.metadata.deletionTimestamp).toBeUndefined();
    await cluster.clock.advance(10_000);
    expect(cluster.find<Pod>("pods", "a")?.metadata.deletionTimestamp).toBeDefined();
  });

  test("evicts all pods if budgets are ignored", async () => {
    const { staying } = await threeReadyPods({ evictionPdbPolicy: "ignore" });
    expect(staying).toEqual([]);
  });

  test("never deletes another pod of the same name", async () => {
    const cluster = new ControllerTestCluster();
    cluster.put("nodes", aNode("node-1"));
    cluster.put("pods", aPod("a", { node: "node-1" }));
    await cluster.start(taintEvictionController);
    cluster.interfere = (request) => {
      if (request.method !== "DELETE") return "pass";
      cluster.interfere = () => "pass";
      cluster.put("pods", aPod("a", { node: "node-2", uid: "another" }));
      return "pass";
    };
    tainted(cluster);
    await cluster.clock.advance(60_000);
    expect(cluster.find<Pod>("pods", "a")?.metadata).toMatchObject({ uid: "another" });
    expect(cluster.find<Pod>("pods", "a")?.metadata.deletionTimestamp).toBeUndefined();
  });
});
