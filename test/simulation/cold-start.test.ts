import { pods, replicaSets } from "@kintsugi/api";
import { aReplicaSet, notConverged } from "@kintsugi/simulation";
import { startVirtualCluster, type VirtualCluster } from "@kintsugi/simulator/factory";
import { expect, test } from "vitest";
import { sampleOf } from "../support/samples.ts";

// No human is needed after a total loss of power, in any order of the starts.

const second = 1000;
/**
 * The time between two starts: long enough for each service to detect that the others do not exist.
 */
const apartMs = 3 * second;
const convergeMaxMs = 120 * second;
const core = { namespace: "default", workloads: [{ name: "web" }], lostNodes: new Set<string>() };
const services = ["api-server", "scheduler", "controller-manager", "node-1", "node-2"] as const;
type Service = (typeof services)[number];

test("a cluster that has lost all power recovers for any order in which its services start", async () => {
  await using cluster = await startVirtualCluster({ nodes: 2, profile: "fast", latencyMaxMs: 5 });
  await cluster.client.create(replicaSets, aReplicaSet("web", 4));
  await cluster.advance(10 * second);
  // The nodes are equal, so two orders that differ only by swapped nodes prove the same.
  const orders = permutations(services).filter((order) => order.indexOf("node-1") < order.indexOf("node-2"));
  expect(orders).toHaveLength(60);
  const tried = sampleOf(orders, 7);
  for (const order of tried) {
    losePower(cluster);
    await cluster.advance(second);
    for (const service of order) {
      start(cluster, service);
      await cluster.advance(apartMs);
    }
    expect(await convergence(cluster), `after a start in the order ${order.join()}`).toEqual([]);
  }
  const { items } = await cluster.client.list(pods, { namespace: "default" });
  // All pods have returned, so no start has lost a pod.
  expect(items.map(({ status }) => status?.containerStatuses?.[0]?.restartCount)).toEqual(
    Array.from({ length: 4 }, () => tried.length),
  );
  expect(cluster.deaths).toEqual([]);
}, 300_000);

function losePower(cluster: VirtualCluster): void {
  cluster.halt();
  for (const node of cluster.nodes) node.kill();
}

function start(cluster: VirtualCluster, service: Service): void {
  if (service === "api-server") cluster.server.process.start();
  else if (service === "scheduler") cluster.scheduler.start();
  else if (service === "controller-manager") cluster.controllerManager.start();
  else cluster.node(service).return();
}

async function convergence(cluster: VirtualCluster): Promise<string[]> {
  const untilMs = cluster.nowMs + convergeMaxMs;
  let missing = await notConverged(cluster, core);
  while (missing.length > 0 && cluster.nowMs < untilMs) {
    await cluster.advance(5 * second);
    missing = await notConverged(cluster, core);
  }
  return missing;
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((first) => permutations(items.filter((item) => item !== first)).map((rest) => [first, ...rest]));
}
