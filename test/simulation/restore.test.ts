import { isApiError, type Pod, pods, replicaSets } from "@kintsugi/api";
import { aReplicaSet, isReady, notConverged } from "@kintsugi/simulation";
import { startVirtualCluster, type VirtualCluster } from "@kintsugi/simulator/factory";
import { exportSnapshot } from "@kintsugi/store";
import { expect, test } from "vitest";

const namespace = "default";
const second = 1000;

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of source) all.push(each);
  return all;
}

async function* stream(parts: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

const listPods = async (cluster: VirtualCluster): Promise<Pod[]> =>
  (await cluster.during(cluster.client.list(pods, { namespace }))).items;

/**
 * Loses the api-server's machine, and restores the snapshot on another machine. The rest of the
 * cluster is not notified.
 */
async function loseAndRestore(cluster: VirtualCluster, snapshot: Uint8Array[]): Promise<void> {
  cluster.server.process.kill();
  await cluster.advance(3 * second);
  await cluster.during(cluster.server.disk!.restoreSnapshot(stream(snapshot)));
  cluster.server.process.start();
  await cluster.during(cluster.server.ready);
}

test.each([1, 2, 3])(
  "a cluster whose store is restored from a snapshot converges to the snapshot's state (seed %d)",
  async (seed) => {
    await using cluster = await startVirtualCluster({ seed, latencyMaxMs: 20 });
    const { client } = cluster;
    await cluster.during(client.create(replicaSets, aReplicaSet("kept", 4)));
    await cluster.advance(30 * second);
    const atSnapshot = await listPods(cluster);
    expect(atSnapshot.filter(isReady)).toHaveLength(4);
    const old = (await cluster.during(client.list(pods, { namespace }))).resourceVersion;
    const snapshot = await cluster.during(collect(exportSnapshot(cluster.server.store!)));

    // All later changes are lost: a new set, a set that grows, and a removed pod.
    await cluster.during(client.create(replicaSets, aReplicaSet("forgotten", 3)));
    await cluster.during(
      client.patch(replicaSets, { namespace, name: "kept" }, { type: "merge", body: { spec: { replicas: 6 } } }),
    );
    await cluster.during(client.delete(pods, { namespace, name: atSnapshot[0]!.metadata.name! }));
    await cluster.advance(60 * second);
    expect((await listPods(cluster)).filter(isReady)).toHaveLength(9);

    await loseAndRestore(cluster, snapshot);
    await cluster.advance(180 * second);

    expect(
      await cluster.during(notConverged(cluster, { namespace, workloads: [{ name: "kept" }], lostNodes: new Set() })),
    ).toEqual([]);
    expect(await cluster.during(client.find(replicaSets, { namespace, name: "forgotten" }))).toBeUndefined();
    // Pods that existed before and after kept their containers; no process was notified of a
    // removal.
    const after = new Map((await listPods(cluster)).map((pod) => [pod.metadata.uid, pod]));
    for (const pod of atSnapshot.slice(1)) {
      expect(after.get(pod.metadata.uid)?.status?.containerStatuses?.[0]?.restartCount).toBe(0);
    }
    // A revision of the lost history is not valid in the new history.
    const late = cluster.client.list(pods, { namespace });
    expect(Number((await cluster.during(late)).resourceVersion)).toBeGreaterThan(Number(old) + 999_999_999);
    const watch = client.watch(pods, { namespace, resourceVersion: old, signal: new AbortController().signal });
    const resumed = cluster.during(collect(watch));
    const refusal = await resumed.catch((error: unknown) => error);
    expect(isApiError(refusal) ? refusal.reason : refusal).toBe("Expired");
    expect(cluster.deaths).toEqual([]);
  },
);
