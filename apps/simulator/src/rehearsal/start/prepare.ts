import { builtInKinds, events, leases } from "@kintsugi/api";
import type { StartState } from "@kintsugi/rehearsal";
import type { Behaviour } from "../cluster/behaviour.ts";
import { RehearsedCluster } from "../cluster/rehearsed-cluster.ts";
import type { RehearsedNode } from "../cluster/rehearsed-node.ts";
import { clusterState } from "./cluster-state.ts";

/** Each kubelet at work takes about 1 MB. */
const wokenTogetherMax = 50;
/** A kubelet has written the statuses that it reports within this time. */
const kubeletMinMs = 3_000;
/** A pod that is not Ready by now is not Ready in the source either. */
const kubeletMaxMs = 15_000;
/** The controllers have written what they derive from the objects of a source within this time. */
const controllersMs = 10_000;

/**
 * Leases are renewed from the first moment of each run, and no run reads the Events of the past.
 */
const leftOut = new Set([events.resource, leases.resource]);
const preparedKinds = builtInKinds.filter(({ type }) => !leftOut.has(type.resource));

/**
 * Returns the state of a cluster after each of its kubelets and controllers has once written what
 * it reports: what a source does not show, or another version of Kubernetes writes in another way.
 * All runs share that state, and write none of it again.
 */
export async function prepare(start: StartState, behaviour: Behaviour, seed: number): Promise<StartState> {
  await using cluster = new RehearsedCluster({ start, behaviour }, { seed });
  await cluster.startServer();
  const asleep = cluster.nodes.filter((node) => node.isAsleep);
  for (let from = 0; from < asleep.length; from += wokenTogetherMax)
    await reportOnce(cluster, asleep.slice(from, from + wokenTogetherMax));
  cluster.startServices();
  await cluster.advance(controllersMs);
  const [death] = cluster.deaths;
  if (death !== undefined) throw new Error(`${death.process} died before the rehearsal`, { cause: death.error });
  return { ...start, ...clusterState(cluster, preparedKinds) };
}

async function reportOnce(cluster: RehearsedCluster, woken: readonly RehearsedNode[]): Promise<void> {
  for (const node of woken) node.wake();
  for (let ms = 0; ms < kubeletMaxMs; ms += kubeletMinMs) {
    await cluster.advance(kubeletMinMs);
    if (woken.every((node) => node.isSettled)) break;
  }
  for (const node of woken) cluster.putToSleep(node);
}
