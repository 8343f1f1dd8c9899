import { type Lease, type Logger, type Metrics, nodes, services } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import type { CloudProvider } from "@kintsugi/cloud";
import {
  assembleControllers,
  EventRecorders,
  fencedClient,
  type LeaderElectionOptions,
  runForElection,
  runTogether,
  TermMetrics,
} from "@kintsugi/controller";
import type { CloudInputs, CloudTimers } from "./context.ts";
import { cloudNode } from "./nodes/cloud-node.ts";
import { cloudNodeLifecycle } from "./nodes/cloud-node-lifecycle.ts";
import { serviceController } from "./services/service-controller.ts";

/** Every controller there is; each is made once per term as leader. */
const controllers = [cloudNode, cloudNodeLifecycle, serviceController] as const;
/** Every API server here serves these. */
const served = [nodes, services];

export interface CloudControllersDeps {
  client: Client;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: Metrics;
  cloud: CloudProvider;
}

export interface CloudControllersOptions {
  timers: CloudTimers;
  /** The controllers work without electing a leader where this is absent. */
  leaderElection?: LeaderElectionOptions | undefined;
}

/** Keeps nodes and load balancers as the cloud has them, while it leads. */
export async function runCloudControllers(
  deps: CloudControllersDeps,
  options: CloudControllersOptions,
  signal: AbortSignal,
): Promise<void> {
  const recorders = new EventRecorders(deps);
  const { client } = deps;
  const election = options.leaderElection;
  await runTogether(signal, [
    (ends) => recorders.run(ends),
    async (ends) => {
      const work = (until: AbortSignal, writer: Client) =>
        runTerm({ ...deps, client: writer, recorders, reader: client, timers: options.timers }, until);
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

interface Term extends CloudControllersDeps {
  readonly timers: CloudTimers;
  readonly recorders: EventRecorders;
  /** The informers read with the client that needs no lead. */
  readonly reader: Client;
}

async function runTerm(term: Term, signal: AbortSignal): Promise<void> {
  const { client, reader, clock, random, log, cloud, timers, recorders } = term;
  const metrics = new TermMetrics(term.metrics);
  const eventsAs = recorders.during(signal);
  const inputs: CloudInputs & { options: Record<never, never> } = {
    client,
    clock,
    log,
    metrics,
    served,
    eventsAs,
    cloud,
    timers,
    options: {},
  };
  try {
    const assembly = assembleControllers(controllers, inputs, { client: reader, clock, random, log });
    const { informers } = assembly;
    const made = assembly.make({ ...inputs, informers });
    await runTogether(signal, [
      (ends) => informers.run(ends),
      async (ends) => {
        await informers.waitForSync(ends);
        log.info("serving the cloud");
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
