import { createHttpClient, loadKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { measureApi } from "../api/api-load.ts";
import { measureHttpWatchLatency } from "../api/watch-latency.ts";
import { measureWatches } from "../api/watch-load.ts";
import { bringUp, openBenchCluster } from "../bench-cluster.ts";
import type { Figure } from "../figure.ts";
import { measureFailover } from "../hollow/measure-failover.ts";
import { measureScale } from "../hollow/measure-scale.ts";
import { measureSchedule } from "../hollow/measure-schedule.ts";
import { kubernetesPrograms, startKubernetes } from "./kubernetes-plane.ts";

// Kintsugi and Kubernetes on the same machine with the same client and the same hollow nodes. In
// each section, the two run one after the other, so that each has all processors.

export interface PeerOptions {
  /** Folder of the peer's programs; undefined for Kubernetes 1.20 from the cache. */
  peer: string | undefined;
  /** Names of the compared sections. */
  rows: readonly string[];
  durationMs: number;
  nodes: number;
  pods: number;
  podsPerNode: number;
  workloads: readonly string[];
  crowds: readonly number[];
}

/** Measures one section; if undefined, on a cluster of Kintsugi that it makes. */
type Section = (kubeconfig: string | undefined, options: PeerOptions) => Promise<readonly Figure[]>;

const sections: Readonly<Record<string, Section>> = {
  api: measureApiOf,
  schedule: (kubeconfig, { nodes, pods, workloads }) =>
    measureSchedule({ nodes, pods, workloads, kubeconfig, bare: false }),
  scale: (kubeconfig, { nodes, podsPerNode, durationMs }) =>
    measureScale({ nodes, podsPerNode, restMs: durationMs, kubeconfig }),
  failover: (kubeconfig, { nodes, podsPerNode, crowds }) =>
    measureFailover({ nodes, podsPerNode, crowds, kubeconfig, profile: "fast" }),
};

/**
 * Returns each row of the sections as Kintsugi's figure with the peer's figure and the ratio as its
 * detail. The goal of a row is the peer's figure.
 */
export async function measurePeers(options: PeerOptions): Promise<Figure[]> {
  const folder = await kubernetesPrograms(options.peer);
  const figures: Figure[] = [];
  for (const name of options.rows) {
    const measure = sections[name];
    if (measure === undefined) throw new Error(`there is no section ${name} to compare`);
    const peers = await measurePeer(folder, { name, measure }, options);
    figures.push(...compared(await measure(undefined, options), peers));
  }
  return figures;
}

async function measurePeer(
  folder: string,
  { name, measure }: { name: string; measure: Section },
  options: PeerOptions,
): Promise<readonly Figure[]> {
  // A loaded control plane with fast timers declares hollow nodes silent while others register.
  await using plane = await startKubernetes(folder, name === "failover" ? "fast" : "default");
  return await measure(plane.kubeconfig, options);
}

async function measureApiOf(kubeconfig: string | undefined, { durationMs }: PeerOptions): Promise<readonly Figure[]> {
  if (kubeconfig !== undefined) return measureApiAt(kubeconfig, durationMs);
  const name = `bench-peers-${process.pid}`;
  await bringUp(name, ["--nodes", "1", "--profile", "default"]);
  await using cluster = await openBenchCluster(name);
  return await measureApiAt(cluster.known.paths.adminKubeconfig, durationMs);
}

async function measureApiAt(kubeconfig: string, durationMs: number): Promise<readonly Figure[]> {
  const access = loadKubeconfig(kubeconfig);
  const client = createHttpClient(
    { clock: systemClock, random: systemRandom },
    { ...access, userAgent: "kintsugi-bench" },
  );
  try {
    return [
      ...(await measureHttpWatchLatency(client)),
      ...(await measureApi(access, { durationMs })),
      ...(await measureWatches(access, durationMs)),
    ];
  } finally {
    await client.close();
  }
}

/** Joins the figures by their ids. A figure that the peer lacks is unchanged. */
function compared(own: readonly Figure[], peers: readonly Figure[]): Figure[] {
  const byId = new Map(peers.map(({ id, value }) => [id, value]));
  return own.map((figure) => {
    const peer = byId.get(figure.id);
    if (peer === undefined) return figure;
    const isRate = figure.unit === "/s";
    const ratio = isRate ? figure.value / peer : peer / figure.value;
    return { ...figure, goal: peer, detail: `${ratio.toFixed(2)} times as good as the peer` };
  });
}
