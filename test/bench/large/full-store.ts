import { silentLogger, silentMetrics } from "@kintsugi/api";
import { createApiServer } from "@kintsugi/api-server/factory";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { LevelStore } from "@kintsugi/store";
import { eachOf } from "../each-of.ts";

/** Concurrent requests, below the server's limit; all requests that wait share a sync. */
const inFlightMax = 128;

export interface FullCluster {
  nodes: number;
  podsPerNode: number;
}

/**
 * Fills a data directory with nodes, their Leases, and running pods, through an API server in this
 * process. Returns the number of objects.
 */
export async function fillStore(directory: string, { nodes, podsPerNode }: FullCluster): Promise<number> {
  const deps = { clock: systemClock, random: systemRandom, log: silentLogger };
  const store = await LevelStore.open({ ...deps, directory });
  const server = createApiServer({ ...deps, store, metrics: silentMetrics }, {});
  const stop = new AbortController();
  const running = server.run(stop.signal);
  await server.ready;
  const send = async (method: string, path: string, body: unknown) => {
    const { status } = await server.handle({
      method,
      path,
      headers: { "user-agent": "kintsugi-bench", "content-type": "application/json" },
      body: Buffer.from(JSON.stringify(body)),
      identity: { name: "admin", groups: ["system:masters"] },
      signal: stop.signal,
    });
    if (status >= 300) throw new Error(`${method} ${path} was answered ${status}`);
  };
  const names = Array.from({ length: nodes }, (_, i) => `hollow-${i + 1}`);
  const register = async (name: string) => {
    await send("POST", "/api/v1/nodes", nodeOf(name));
    await send("POST", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases", leaseOf(name));
  };
  await eachOf(names, register, inFlightMax);
  const placed = names.flatMap((node) =>
    Array.from({ length: podsPerNode }, (_, i) => ({ node, name: `${node}-${i}` })),
  );
  const run = async ({ node, name }: (typeof placed)[number]) => {
    await send("POST", "/api/v1/namespaces/default/pods", podOf(name, node));
    const path = `/api/v1/namespaces/default/pods/${name}/status`;
    await send("PUT", path, { ...podOf(name, node), status: runningStatus });
  };
  await eachOf(placed, run, inFlightMax);
  stop.abort();
  await running;
  await store.close();
  return 2 * nodes + placed.length;
}

function nodeOf(name: string) {
  const resources = { cpu: "32", memory: "256Gi", pods: "110", "ephemeral-storage": "100Gi" };
  const conditions = ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"].map((type) => ({
    type,
    status: type === "Ready" ? "True" : "False",
    reason: "Bench",
    message: "a node of a bench",
  }));
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, "kubernetes.io/arch": "amd64" } },
    status: { capacity: resources, allocatable: resources, conditions },
  };
}

function leaseOf(name: string) {
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name, namespace: "kube-node-lease" },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: "2026-01-01T00:00:00.000000Z" },
  };
}

function podOf(name: string, nodeName: string) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels: { app: "bench", "pod-template-hash": "5c8d6f7b9" } },
    spec: {
      nodeName,
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: "pause",
          image: "registry.k8s.io/pause:3.9",
          resources: { requests: { cpu: "100m", memory: "500Mi" }, limits: { cpu: "100m", memory: "500Mi" } },
        },
      ],
    },
  };
}

const lastTransitionTime = "2026-01-01T00:00:00Z";
const conditionTypes = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];
const imageID = `registry.k8s.io/pause@sha256:${"7031c1b283388d2c".repeat(4)}`;

const runningStatus = {
  phase: "Running",
  hostIP: "10.64.0.11",
  podIP: "100.64.1.7",
  podIPs: [{ ip: "100.64.1.7" }],
  startTime: lastTransitionTime,
  conditions: conditionTypes.map((type) => ({ type, status: "True", lastProbeTime: null, lastTransitionTime })),
  containerStatuses: [
    {
      name: "pause",
      image: "registry.k8s.io/pause:3.9",
      imageID,
      containerID: `containerd://${"7031c1b283388d2c".repeat(4)}`,
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: lastTransitionTime } },
    },
  ],
};
