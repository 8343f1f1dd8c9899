import { nodes, type Pod, pods, replicaSets } from "@kintsugi/api";
import { aPod, aReplicaSet, Invariants, isReady, notConverged } from "@kintsugi/simulation";
import { VirtualCluster } from "@kintsugi/simulator/factory";
import { expect, test } from "vitest";

// Messages have no delay here, so a loop at the speed of its answers would never end.

const second = 1000;

interface Watched extends AsyncDisposable {
  readonly cluster: VirtualCluster;
  readonly invariants: Invariants;
  /** @throws with the violated invariant, which ends the cluster. */
  write: (work: Promise<unknown>) => Promise<void>;
  pods: () => Promise<readonly Pod[]>;
}

async function watchedCluster(): Promise<Watched> {
  const cluster = new VirtualCluster({ nodes: 2, profile: "fast" });
  const { store, clock, timers, client } = cluster;
  const invariants = new Invariants({ store, clock, cluster, onViolation: () => cluster.halt() }, { timers });
  await cluster.start();
  return {
    cluster,
    invariants,
    write: async (work) => {
      await work.catch((cause: unknown) => {
        throw new Error(invariants.violation?.message ?? "not written", { cause });
      });
    },
    pods: async () => (await client.list(pods, { namespace: "default" })).items,
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

test("pods that an uninformed scheduler binds to a tainted node are not recreated as fast as they are evicted", async () => {
  await using watched = await watchedCluster();
  const { cluster, invariants, write } = watched;
  const { client } = cluster;
  await write(client.create(replicaSets, aReplicaSet("web", 6)));
  await cluster.advance(10 * second);
  const heard = cluster.bus?.impairments.add(({ to, subject }) =>
    to === "scheduler" && (subject.includes(".nodes.") || subject.endsWith(".marks")) ? "drop" : undefined,
  );
  const body = { spec: { taints: [{ key: "example.com/away", effect: "NoExecute" }] } };
  await write(client.patch(nodes, { namespace: "", name: "node-1" }, { type: "merge", body }));
  await cluster.advance(2 * second);
  // The next mark reveals the missed changes.
  heard?.();
  await cluster.advance(20 * second);
  expect(invariants.violation).toBeUndefined();
  const left = await watched.pods();
  expect(left.filter(isReady).map(({ spec }) => spec?.nodeName)).toEqual(Array(6).fill("node-2"));
});

test("pods that every kubelet rejects are not recreated as fast as they are rejected", async () => {
  await using watched = await watchedCluster();
  const { cluster, invariants, write } = watched;
  const { client } = cluster;
  const set = aReplicaSet("tuned", 3);
  Object.assign(set.spec?.template?.spec ?? {}, {
    securityContext: { sysctls: [{ name: "net.core.somaxconn", value: "10000" }] },
  });
  await write(client.create(replicaSets, set));
  await cluster.advance(second);
  await write(client.create(replicaSets, aReplicaSet("web", 3)));
  await cluster.advance(3 * second);
  expect(invariants.violation).toBeUndefined();
  const all = await watched.pods();
  expect(all.filter(isReady).map(({ metadata }) => metadata.labels?.["app"])).toEqual(["web", "web", "web"]);
  const turnedAway = all.filter(({ status }) => status?.reason === "SysctlForbidden");
  // The first pod of the set, thirty pods at the same time, and twenty pods per second.
  expect(turnedAway).toHaveLength(3 + 30 + 4 * 20);
});

test("a rejected pod that is never deleted does not prevent a cluster from settling", async () => {
  await using watched = await watchedCluster();
  const { cluster, write } = watched;
  const spec = { nodeName: "node-1", nodeSelector: { place: "elsewhere" } };
  await write(cluster.client.create(pods, aPod("astray", { spec })));
  await cluster.advance(10 * second);
  expect((await watched.pods()).map(({ status }) => status?.reason)).toEqual(["NodeAffinity"]);
  const core = { namespace: "default", workloads: [], lostNodes: new Set<string>() };
  expect(await cluster.during(notConverged(cluster, core))).toEqual([]);
});
