import { isPodActive, type Pod, pods, replicaSets } from "@kintsugi/api";
import { aPod, aReplicaSet, isReady, parseValue } from "@kintsugi/simulation";
import { startVirtualCluster } from "@kintsugi/simulator/factory";
import { describe, expect, test } from "vitest";

// An object that makes its controller throw delays only itself.

const second = 1000;

describe.each([
  ["the controller-manager", "controller-manager"],
  ["the scheduler", "scheduler"],
  ["its kubelet", "node-1"],
])("an object about which every request of %s throws", (_, service) => {
  test("does not delay other objects by a millisecond", async () => {
    const clean = await readyTimes(undefined);
    const poisoned = await readyTimes(service);
    expect(clean.times).toHaveLength(10);
    expect(poisoned.times).toEqual(clean.times);
    expect(poisoned.thrown).toBeGreaterThan(3);
  });
});

/**
 * Returns the times at which the workload's pods were ready, in order, next to an object that may
 * make a service throw.
 */
async function readyTimes(service: string | undefined): Promise<{ times: number[]; thrown: number }> {
  await using cluster = await startVirtualCluster({ nodes: 1, profile: "fast", maxPods: 30 });
  let thrown = 0;
  if (service !== undefined) {
    cluster.onRequestOf[service] = ({ path }) => {
      if (!path.includes("poison")) return;
      thrown++;
      throw new Error("it is poison");
    };
  }
  const readyMs = new Map<string, number>();
  cluster.store.subscribe((changes) => {
    for (const { resource, entry } of changes) {
      if (resource !== "core/pods") continue;
      const pod = parseValue<Pod>(entry.value);
      const { name, uid = "" } = pod.metadata;
      if (!name?.startsWith("web-") || !isPodActive(pod) || !isReady(pod) || readyMs.has(uid)) continue;
      readyMs.set(uid, cluster.nowMs);
    }
  });
  await cluster.client.create(pods, aPod("poison"));
  await cluster.client.create(replicaSets, aReplicaSet("poison-set", 2));
  await cluster.advance(second);
  await cluster.client.create(replicaSets, aReplicaSet("web", 5));
  await cluster.advance(20 * second);
  await cluster.client.patch(
    replicaSets,
    { namespace: "default", name: "web" },
    { type: "merge", body: { spec: { replicas: 10 } } },
  );
  await cluster.advance(20 * second);
  return { times: [...readyMs.values()], thrown };
}
