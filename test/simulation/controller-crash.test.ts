import { type Pod, pods, type ReplicaSet, replicaSets } from "@kintsugi/api";
import type { HandlerRequest } from "@kintsugi/client";
import { aReplicaSet, isActive, isReady } from "@kintsugi/simulation";
import { describe, expect, test } from "vitest";
import { startVirtualCluster, type VirtualCluster } from "@kintsugi/simulator/factory";

const second = 1000;
const key = { namespace: "default", name: "web" };
/** A scale-up by six takes at least as many: six pods, and the status of the set as they come and get ready. */
const writesMax = 11;

/** What the death of the process does to the write at which it comes. */
const moments = ["before it is sent", "after it is done and before its answer"] as const;

describe.each(moments)("a controller-manager that dies at write k of a scale-up, %s", (moment) => {
  test.each(Array.from({ length: writesMax }, (_, index) => index + 1))(
    "k = %i: there are never more pods than wanted, and in the end as many",
    async (k) => {
      await using cluster = await startVirtualCluster({ nodes: 2, profile: "fast", seed: k, latencyMaxMs: 40 });
      await cluster.client.create(replicaSets, aReplicaSet("web", 2));
      await cluster.advance(10 * second);
      const counts = countActive(cluster);
      const killed = killAtWrite(cluster, k, moment);
      await scale(cluster, 8);
      await cluster.advance(5 * second);
      cluster.controllerManager.start();
      await cluster.advance(40 * second);
      expect(Math.max(...counts)).toBe(8);
      const { items } = await cluster.client.list(pods, { namespace: "default" });
      expect(items).toHaveLength(8);
      expect(items.filter(isReady)).toHaveLength(8);
      const set = await cluster.client.get(replicaSets, key);
      expect(set.status).toMatchObject({ replicas: 8, readyReplicas: 8, availableReplicas: 8 });
      expect(killed()).toBe(true);
    },
  );
});

/** Kills the process at the k-th request from now that would change something other than a Lease or an Event. */
function killAtWrite(cluster: VirtualCluster, k: number, moment: (typeof moments)[number]): () => boolean {
  let writes = 0;
  let killed = false;
  const kill = () => {
    killed = true;
    cluster.controllerManager.kill();
  };
  cluster.onRequestOf["controller-manager"] = (request) => {
    if (killed || !isWrite(request) || ++writes !== k) return;
    if (moment === "before it is sent") kill();
    else {
      const stop = cluster.store.subscribe((changes) => {
        if (!changes.some(({ resource }) => resource === "core/pods" || resource === "apps/replicasets")) return;
        stop();
        kill();
      });
    }
  };
  return () => killed;
}

function isWrite({ method, path }: HandlerRequest): boolean {
  return method !== "GET" && !/\/(leases|events)\b/.test(path);
}

/** After every commit, how many pods count against the set. */
function countActive(cluster: VirtualCluster): number[] {
  const counts: number[] = [];
  cluster.store.subscribe(() => {
    const stored = cluster.store.list("core/pods/default/").entries;
    counts.push(stored.map(({ value }) => JSON.parse(Buffer.from(value).toString()) as Pod).filter(isActive).length);
  });
  return counts;
}

async function scale(cluster: VirtualCluster, replicas: number): Promise<ReplicaSet> {
  return cluster.client.patch(replicaSets, key, { type: "merge", body: { spec: { replicas } } });
}
