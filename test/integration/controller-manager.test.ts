import {
  type ConfigMap,
  configMaps,
  type Event,
  events,
  findCondition,
  isPodActive,
  isPodReady,
  leases,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  type Pod,
  pods,
  replicaSets,
} from "@kintsugi/api";
import { type Client, type HandlerRequest, type HandlerResponse, type RequestHandler } from "@kintsugi/client";
import { type ControllerManagerOptions, createControllerManager } from "@kintsugi/controller-manager/factory";
import { describe, expect, test } from "vitest";
import { runKubelet } from "../support/node/kubelet-of-api.ts";
import { startApiInMemory } from "../support/servers/api-in-memory.ts";

const second = 1000;
const grace = 40 * second;

describe("the controllers on a real API server", () => {
  test("create, count and delete the pods of a replica set", async () => {
    await using cluster = await startCluster();
    await cluster.addReplicaSet("web", 3);
    await cluster.clock.advance(5 * second);
    expect(await cluster.active()).toHaveLength(3);
    expect((await cluster.replicaSet("web")).status).toMatchObject({
      replicas: 3,
      readyReplicas: 0,
      observedGeneration: 1,
    });
    await cluster.bindAll("node-1");
    await cluster.clock.advance(5 * second);
    expect((await cluster.replicaSet("web")).status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
    });
    await cluster.scale("web", 1);
    await cluster.clock.advance(10 * second);
    expect(await cluster.active()).toHaveLength(1);
    const said = await cluster.reasonsOf("web");
    expect(said.filter((reason) => reason === "SuccessfulCreate")).toHaveLength(3);
    expect(said.filter((reason) => reason === "SuccessfulDelete")).toHaveLength(2);
  });

  test("replace the pods of a dead node on other nodes, in upstream's steps and on time", async () => {
    await using cluster = await startCluster();
    await cluster.addReplicaSet("web", 2);
    await cluster.clock.advance(5 * second);
    await cluster.bindAll("node-1");
    await cluster.clock.advance(60 * second);
    cluster.silence("node-1");
    await cluster.clock.advance(grace);
    const dead = await cluster.client.get(nodes, { namespace: "", name: "node-1" });
    expect(findCondition(dead.status?.conditions, "Ready")).toMatchObject({
      status: "Unknown",
      reason: "NodeStatusUnknown",
    });
    expect(dead.spec?.taints?.map(({ key, effect }) => `${key}:${effect}`)).toEqual([
      "node.kubernetes.io/unreachable:NoSchedule",
      "node.kubernetes.io/unreachable:NoExecute",
    ]);
    expect((await cluster.active()).map((pod) => isPodReady(pod))).toEqual([false, false]);
    // The node's last heartbeat was up to a renewal interval before the silence began.
    await cluster.clock.advance(289 * second);
    expect(await cluster.pods()).toHaveLength(2);
    await cluster.clock.advance(12 * second);
    expect([(await cluster.pods()).length, (await cluster.active()).length]).toEqual([4, 2]);
    expect(await cluster.reasonsOf("node-1")).toContain("NodeNotReady");
    cluster.revive("node-1");
    await cluster.clock.advance(30 * second);
    const back = await cluster.client.get(nodes, { namespace: "", name: "node-1" });
    expect([back.spec?.taints, (await cluster.pods()).length]).toEqual([undefined, 2]);
  });

  test("do not evict a pod whose node returned in time", async () => {
    await using cluster = await startCluster();
    await cluster.addReplicaSet("web", 1);
    await cluster.clock.advance(5 * second);
    await cluster.bindAll("node-1");
    const [before] = await cluster.active();
    cluster.silence("node-1");
    await cluster.clock.advance(200 * second);
    cluster.revive("node-1");
    await cluster.clock.advance(600 * second);
    const after = await cluster.pods();
    expect(after.map(({ metadata }) => metadata.uid)).toEqual([before?.metadata.uid]);
    expect(await cluster.messagesOf(before?.metadata.name ?? "")).toContain(
      `Cancelling deletion of Pod default/${before?.metadata.name}`,
    );
  });

  test("bind a claim, protect volumes in use, and release the volume of a deleted claim", async () => {
    await using cluster = await startCluster();
    const { client, clock } = cluster;
    const claimKey = { namespace: "default", name: "data" };
    const volumeKey = { namespace: "", name: "disk" };
    await clock.advance(5 * second);
    await client.create(persistentVolumeClaims, {
      metadata: claimKey,
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    await client.create(persistentVolumes, {
      metadata: { name: "disk" },
      spec: { capacity: { storage: "2Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/data" } },
    });
    await clock.advance(5 * second);
    const claim = await client.get(persistentVolumeClaims, claimKey);
    expect(claim).toMatchObject({
      spec: { volumeName: "disk" },
      status: { phase: "Bound", capacity: { storage: "2Gi" } },
    });
    await client.create(pods, {
      metadata: { namespace: "default", name: "user" },
      spec: {
        nodeName: "node-1",
        containers: [{ name: "main", image: "app" }],
        volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
      },
    });
    await clock.advance(5 * second);
    await client.delete(persistentVolumeClaims, claimKey);
    await client.delete(persistentVolumes, volumeKey);
    await clock.advance(60 * second);
    expect((await client.get(persistentVolumeClaims, claimKey)).metadata.deletionTimestamp).toBeDefined();
    expect((await client.get(persistentVolumes, volumeKey)).status?.phase).toBe("Bound");
    await client.delete(pods, { namespace: "default", name: "user" }, { gracePeriodSeconds: 0 });
    await clock.advance(60 * second);
    expect(await client.find(persistentVolumeClaims, claimKey)).toBeUndefined();
    expect(await client.find(persistentVolumes, volumeKey)).toBeUndefined();
  });

  test("do not evict pods when every node is down, and report this on the nodes", async () => {
    await using cluster = await startCluster();
    await cluster.addReplicaSet("web", 2);
    await cluster.clock.advance(5 * second);
    await cluster.bindAll("node-1");
    for (const name of ["node-1", "node-2", "node-3"]) cluster.silence(name);
    await cluster.clock.advance(900 * second);
    expect(await cluster.active()).toHaveLength(2);
    const node = await cluster.client.get(nodes, { namespace: "", name: "node-1" });
    expect(findCondition(node.status?.conditions, "kintsugi.dev/EvictionsPaused")?.reason).toBe("AllZonesDown");
    expect(await cluster.reasonsOf("node-1")).toContain("EvictionsPaused");
  });

  test("collect the pods and the Lease of a deleted node", async () => {
    await using cluster = await startCluster();
    await cluster.addPod("p", "node-1");
    await cluster.clock.advance(5 * second);
    cluster.silence("node-1");
    await cluster.client.delete(nodes, { namespace: "", name: "node-1" });
    await cluster.clock.advance(5 * second);
    expect(await cluster.client.find(leases, { namespace: "kube-node-lease", name: "node-1" })).toBeUndefined();
    await cluster.clock.advance(60 * second);
    expect(await cluster.pods()).toEqual([]);
  });

  test("follow every way to delete an owner", async () => {
    await using cluster = await startCluster();
    for (const [name, propagationPolicy] of [
      ["bg", "Background"],
      ["fg", "Foreground"],
      ["or", "Orphan"],
    ] as const) {
      await cluster.addReplicaSet(name, 1);
      await cluster.clock.advance(3 * second);
      await cluster.client.delete(replicaSets, { namespace: "default", name }, { propagationPolicy });
    }
    await cluster.clock.advance(60 * second);
    expect((await cluster.client.list(replicaSets)).items).toEqual([]);
    const left = await cluster.pods();
    expect(left.map(({ metadata }) => [metadata.generateName, metadata.ownerReferences])).toEqual([["or-", undefined]]);
  });

  test("empty a namespace and finalize it", async () => {
    await using cluster = await startCluster();
    await cluster.client.create(namespaces, { metadata: { name: "team" } });
    const configMap: ConfigMap = { metadata: { name: "c", namespace: "team" }, data: { a: "b" } };
    await cluster.client.create(configMaps, configMap);
    await cluster.addReplicaSet("web", 2, "team");
    await cluster.clock.advance(5 * second);
    expect((await cluster.client.list(pods, { namespace: "team" })).items).toHaveLength(2);
    await cluster.client.delete(namespaces, { namespace: "", name: "team" });
    await cluster.clock.advance(60 * second);
    expect(await cluster.client.find(namespaces, { namespace: "", name: "team" })).toBeUndefined();
    expect((await cluster.client.list(configMaps, { namespace: "team" })).items).toEqual([]);
  });

  test("do not write in an idle cluster", async () => {
    await using cluster = await startCluster();
    await cluster.addReplicaSet("web", 3);
    await cluster.clock.advance(5 * second);
    await cluster.bindAll("node-2");
    await cluster.clock.advance(60 * second);
    cluster.writes.length = 0;
    await cluster.clock.advance(600 * second);
    expect(cluster.writes).toEqual([]);
  });
});

test("a controller manager that crashes before its write number k leaves no surplus pod, for every k", async () => {
  for (let k = 1; k <= 10; k++) {
    let isDead = false;
    let writes = 0;
    await using cluster = await startCluster({
      intercept: (request, forward) => {
        if (isDead) return new Promise(() => {});
        if (request.method === "GET" || !request.path.includes("default")) return forward(request);
        isDead = ++writes >= k;
        return isDead ? new Promise(() => {}) : forward(request);
      },
    });
    await cluster.addReplicaSet("web", 6);
    await cluster.clock.advance(5 * second);
    await cluster.stopManager();
    isDead = false;
    writes = -1000;
    cluster.startManager();
    await cluster.clock.advance(30 * second);
    expect([k, (await cluster.pods()).length]).toEqual([k, 6]);
    expect(cluster.mostActive()).toBe(6);
  }
});

type Forward = (request: HandlerRequest) => Promise<HandlerResponse>;

interface ClusterOptions extends Partial<ControllerManagerOptions> {
  /** A proxy between the controllers and the server. */
  intercept?: (request: HandlerRequest, forward: Forward) => Promise<HandlerResponse>;
}

async function startCluster({ intercept, ...options }: ClusterOptions = {}) {
  const { clock, random, log, metrics, store, server, stop, serving, clientOf } = await startApiInMemory();
  const client = clientOf("admin", ["system:masters"]);
  const writes: string[] = [];
  const watched: RequestHandler = {
    handle: (request) => {
      if (request.method !== "GET") writes.push(`${request.method} ${request.path}`);
      return intercept ? intercept(request, server.handle) : server.handle(request);
    },
  };
  const silenced = new Set<string>();
  const kubelets = ["node-1", "node-2", "node-3"].map((name) => runKubelet({ client, clock, silenced }, name));
  await Promise.all(kubelets.map((kubelet) => kubelet.registered));
  let mostActive = 0;
  const counting = countActive(client, stop.signal, (count) => (mostActive = Math.max(mostActive, count)));

  let manager = { stop: new AbortController(), done: Promise.resolve() };
  const startManager = () => {
    const controllers = createControllerManager(
      { client: clientOf("system:kube-controller-manager", [], watched), clock, random, log, metrics },
      options,
    );
    const own = new AbortController();
    manager = { stop: own, done: controllers.run(own.signal) };
  };
  startManager();
  await clock.advance(second);
  const listPods = async () => (await client.list(pods)).items;
  const replicaSet = (name: string) => client.get(replicaSets, { namespace: "default", name });
  const eventsOf = async (name: string) =>
    (await client.list<Event>(events, { fieldSelector: `involvedObject.name=${name}` })).items;
  return {
    clock,
    client,
    writes,
    startManager,
    mostActive: () => mostActive,
    stopManager: async () => {
      manager.stop.abort(new Error("stopped by the test"));
      await clock.settle();
    },
    silence: (name: string) => silenced.add(name),
    revive: (name: string) => silenced.delete(name),
    pods: listPods,
    active: async () => (await listPods()).filter(isPodActive),
    replicaSet,
    addReplicaSet: (name: string, replicas: number, namespace = "default") =>
      client.create(replicaSets, {
        metadata: { name, namespace },
        spec: {
          replicas,
          selector: { matchLabels: { app: name } },
          template: {
            metadata: { labels: { app: name } },
            spec: { containers: [{ name: "main", image: "app" }], terminationGracePeriodSeconds: 1 },
          },
        },
      }),
    scale: async (name: string, replicas: number) => {
      await client.patch(replicaSets, { namespace: "default", name }, { type: "merge", body: { spec: { replicas } } });
    },
    addPod: (name: string, node: string) =>
      client.create(pods, {
        metadata: { name, namespace: "default" },
        spec: { nodeName: node, containers: [{ name: "main", image: "app" }] },
      }),
    /** Does the scheduler's work. */
    bindAll: async (node: string) => {
      for (const { metadata, spec } of await listPods()) {
        if (spec?.nodeName) continue;
        await client.call({
          method: "POST",
          path: `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/binding`,
          body: {
            apiVersion: "v1",
            kind: "Binding",
            metadata: { name: metadata.name, uid: metadata.uid },
            target: { kind: "Node", name: node },
          },
        });
      }
      await clock.advance(2 * second);
    },
    reasonsOf: async (name: string) =>
      (await eventsOf(name)).flatMap(({ reason, count }) => Array.from({ length: count ?? 1 }, () => reason)),
    messagesOf: async (name: string) => (await eventsOf(name)).map(({ message }) => message),
    async [Symbol.asyncDispose]() {
      manager.stop.abort(new Error("the test is over"));
      for (const kubelet of kubelets) kubelet.stop();
      stop.abort(new Error("the test is over"));
      await clock.advance(20 * second);
      await Promise.allSettled([counting, ...kubelets.map(({ done }) => done)]);
      await serving;
      await store.close();
    },
  };
}

/** Counts active pods after every change of any pod. */
async function countActive(client: Client, signal: AbortSignal, onCount: (count: number) => void): Promise<void> {
  const { resourceVersion } = await client.list(pods);
  const active = new Set<string>();
  try {
    for await (const event of client.watch<Pod>(pods, { resourceVersion, signal })) {
      if (event.type === "BOOKMARK") continue;
      const uid = event.object.metadata.uid ?? "";
      if (event.type !== "DELETED" && isPodActive(event.object)) active.add(uid);
      else active.delete(uid);
      onCount(active.size);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
