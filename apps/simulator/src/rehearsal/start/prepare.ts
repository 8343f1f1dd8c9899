import { builtInKinds, events, leases } from "@kintsugi/api";
import type { StartState } from "@kintsugi/rehearsal";
import type { Behaviour } from "../cluster/behaviour.ts";
import { RehearsedCluster } from "../cluster/rehearsed-cluster.ts";
import { clusterState } from "./cluster-state.ts";

/**
 * Time within which the controllers have written everything that they derive from the objects of a
 * source.
 */
const controllersMs = 10_000;

/** Leases are renewed from the first moment of each run, and runs never read past Events. */
const leftOut = new Set([events.resource, leases.resource]);
const preparedKinds = builtInKinds.filter(({ type }) => !leftOut.has(type.resource));

/**
 * Returns the state of a cluster after the API server and each controller have once written what a
 * source may lack, or what another version of Kubernetes writes differently. All runs share that
 * state, and their controllers begin with the keys that were not finished.
 */
export async function prepare(start: StartState, behaviour: Behaviour, seed: number): Promise<StartState> {
  await using cluster = new RehearsedCluster({ start, behaviour }, { seed });
  await cluster.start();
  await cluster.advance(controllersMs);
  const [death] = cluster.deaths;
  if (death !== undefined) throw new Error(`${death.process} died before the rehearsal`, { cause: death.error });
  return { ...start, ...clusterState(cluster, preparedKinds), unfinishedKeys: cluster.unfinishedKeys.now() };
}
