import { builtInKinds, events, leases } from "@kintsugi/api";
import type { StartState } from "@kintsugi/rehearsal";
import type { Behaviour } from "../cluster/behaviour.ts";
import { RehearsedCluster } from "../cluster/rehearsed-cluster.ts";
import type { RehearsedNode } from "../cluster/rehearsed-node.ts";
import { clusterState } from "./cluster-state.ts";

/** Each running kubelet takes about 1 MB. */
const wokenTogetherMax = 50;
/** Time within which a kubelet has written the statuses that it reports. */
const kubeletMinMs = 3_000;
/** Time after which a pod that is not Ready was probably not Ready in the source either. */
const kubeletMaxMs = 15_000;
/**
 * Time within which the controllers have written everything that they derive from the objects of a
 * source.
 */
const controllersMs = 10_000;

/** Leases are renewed from the first moment of each run, and runs never read past Events. */
const leftOut = new Set([events.resource, leases.resource]);
const preparedKinds = builtInKinds.filter(({ type }) => !leftOut.has(type.resource));

/**
 * Returns the state of a cluster after each of its kubelets and controllers has once written its
 * reports, which a source may lack, or which another version of Kubernetes writes differently. All
 * runs share that state, and do not write the reports again.
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
