import { SeededRandomSource } from "@kintsugi/simulation";
import { gymRoute } from "./gym/gym-route.ts";
import type { Incident } from "./gym/incident.ts";
import { IncidentRun } from "./gym/incident-run.ts";
import { startServedCluster, type ServedCluster } from "./served-cluster.ts";
import type { ServedClusterDeps, ServedClusterOptions } from "./served-cluster-options.ts";

export interface StartedIncident {
  readonly server: ServedCluster;
  /** Runs the cluster for a drawn healthy time. */
  readonly prepare: () => Promise<IncidentRun>;
  /** Runs the cluster, injects the incident, and resolves when the symptom shows. */
  readonly begin: () => Promise<IncidentRun>;
}

/** Starts a cluster with a steered clock for one incident. */
export async function startIncident(
  deps: ServedClusterDeps,
  { incident, seed, options }: { incident: Incident; seed: number; options: ServedClusterOptions },
): Promise<StartedIncident> {
  let run: IncidentRun | undefined;
  const server = await startServedCluster({ ...deps, routes: [gymRoute(() => run)] }, options);
  const { steering, client, faults, marks } = server;
  if (steering === undefined) throw new TypeError("an incident needs a clock that can be moved");
  const nodes = options.fleet.kubelets.map(({ nodeName }) => nodeName);
  const prepare = async () => {
    await server.nodesReady;
    const random = new SeededRandomSource(seed).of("incident");
    const prepared = new IncidentRun({ client, steering, faults, marks, random, nodes }, incident);
    await prepared.prepare();
    steering.setPace(1);
    return prepared;
  };
  const begin = async () => {
    const begun = await prepare();
    await begun.strike();
    return (run = begun);
  };
  return { server, prepare, begin };
}
