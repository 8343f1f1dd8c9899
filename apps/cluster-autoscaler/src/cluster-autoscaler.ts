import {
  configMaps,
  daemonSets,
  type Lease,
  type Logger,
  type Metrics,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  pods,
  storageClasses,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import type { CloudProvider } from "@kintsugi/cloud";
import {
  assembleControllers,
  controllerDefiner,
  type ControllerInputs,
  EventRecorders,
  fencedClient,
  type Informers,
  type LeaderElectionOptions,
  runForElection,
  runTogether,
  TermMetrics,
} from "@kintsugi/controller";
import { LookLoop } from "./look-loop.ts";
import type { AutoscalerOptions } from "./model/options.ts";

export interface ClusterAutoscalerDeps {
  client: Client;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: Metrics;
  cloud: CloudProvider;
}

export interface ClusterAutoscalerOptions {
  scaling: AutoscalerOptions;
  /** The autoscaler works without electing a leader where this is absent. */
  leaderElection?: LeaderElectionOptions | undefined;
}

interface Inputs extends ControllerInputs {
  cloud: CloudProvider;
  scaling: AutoscalerOptions;
}

interface Surroundings extends Inputs {
  informers: Informers;
}

const reads = [
  nodes,
  pods,
  namespaces,
  podDisruptionBudgets,
  daemonSets,
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
];
/** Every API server here serves these. */
const served = [...reads, configMaps];

const scaler = controllerDefiner<Inputs, Surroundings>()({
  name: "cluster-autoscaler",
  options: {},
  roles: [],
  events: "cluster-autoscaler",
  reads,
  create(context) {
    const loop = new LookLoop(context, context.scaling);
    return { periodic: { periodMs: context.scaling.scanIntervalMs, work: (signal) => loop.look(signal) } };
  },
});

/** Keeps node groups as large as pods need them, while it leads, until the signal aborts. */
export async function runClusterAutoscaler(
  deps: ClusterAutoscalerDeps,
  options: ClusterAutoscalerOptions,
  signal: AbortSignal,
): Promise<void> {
  const recorders = new EventRecorders(deps);
  const { client } = deps;
  const election = options.leaderElection;
  await runTogether(signal, [
    (ends) => recorders.run(ends),
    async (ends) => {
      const work = (until: AbortSignal, writer: Client) =>
        runTerm({ ...deps, client: writer, reader: client, recorders, scaling: options.scaling }, until);
      if (election === undefined) return work(ends, client);
      const elector = recorders.of(election.name);
      const recordEvent = (lease: Lease, message: string) =>
        elector.record(lease, { type: "Normal", reason: "LeaderElection", message });
      return runForElection({ ...deps, recordEvent }, election, (lead) =>
        lead(ends, (term, leadership) => work(term, fencedClient(client, leadership))),
      );
    },
  ]);
}

interface Term extends ClusterAutoscalerDeps {
  readonly scaling: AutoscalerOptions;
  readonly recorders: EventRecorders;
  /** The informers read with the client that needs no lead. */
  readonly reader: Client;
}

async function runTerm(term: Term, signal: AbortSignal): Promise<void> {
  const { client, reader, clock, random, log, cloud, scaling, recorders } = term;
  const metrics = new TermMetrics(term.metrics);
  const eventsAs = recorders.during(signal);
  const inputs: Inputs & { options: Record<never, never> } = {
    client,
    clock,
    log,
    metrics,
    served,
    eventsAs,
    cloud,
    scaling,
    options: {},
  };
  try {
    const assembly = assembleControllers([scaler], inputs, { client: reader, clock, random, log });
    const { informers } = assembly;
    const made = assembly.make({ ...inputs, informers });
    await runTogether(signal, [
      (ends) => informers.run(ends),
      async (ends) => {
        await informers.waitForSync(ends);
        await runTogether(
          ends,
          made.map((controller) => (until: AbortSignal) => controller.run(until)),
        );
      },
    ]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    metrics.end();
  }
}
