import { isPodActive, type Pod, pods, replicaSets } from "@kintsugi/api";
import { aPod, aReplicaSet, isReady, parseValue } from "@kintsugi/simulation";
import { startVirtualCluster, type VirtualCluster } from "@kintsugi/simulator/factory";
import { describe, expect, test } from "vitest";

// L11: an object that makes whoever deals with it throw delays only itself.

const second = 1000;

describe.each([
  ["the controller-manager", "controller-manager"],
  ["the scheduler", "scheduler"],
  ["its kubelet", "node-1"],
])("an object about which every request of %s throws", (_, service) => {
  test("delays nobody else by a millisecond", async () => {
    const clean = await readyTimes(undefined);
    const poisoned = await readyTimes(service);
    expect(clean.times.size).toBe(10);
    expect(poisoned.times).toEqual(clean.times);
    expect(poisoned.thrown).toBeGreaterThan(3);
  });
});

/** When each pod of the workload was ready, by the order in which they were, beside an object that may be poison to a service. */
async function readyTimes(service: string | undefined): Promise<{ times: Map<number, number>; thrown: number }> {
  await using cluster = await startVirtualCluster({ nodes: 1, profile: "fast", maxPods: 30 });
  let thrown = 0;
  if (service !== undefined) {
    cluster.onRequestOf[service] = ({ path }) => {
      if (!path.includes("poison")) return;
      thrown++;
      throw new Error("it is poison");
    };
  }
  const times = new Map<number, number>();
  cluster.store.subscribe((changes) => {
    for (const { resource, entry } of changes) {
      if (resource !== "core/pods") continue;
      const pod = parseValue<Pod>(entry.value);
      if (pod.metadata.name?.startsWith("web-") && isPodActive(pod) && isReady(pod)) note(cluster, times, pod);
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
  return { times, thrown };
}

const seen = new WeakMap<Map<number, number>, Set<string>>();

function note(cluster: VirtualCluster, times: Map<number, number>, { metadata }: Pod): void {
  const known = seen.get(times) ?? new Set<string>();
  seen.set(times, known);
  if (known.has(metadata.uid ?? "")) return;
  known.add(metadata.uid ?? "");
  times.set(known.size, cluster.nowMs);
}
