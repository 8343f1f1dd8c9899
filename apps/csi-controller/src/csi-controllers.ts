import {
  csiNodes,
  type Lease,
  type Logger,
  type Metrics,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
  volumeAttachments,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import {
  assembleControllers,
  EventRecorders,
  fencedClient,
  type LeaderElectionOptions,
  runForElection,
  runTogether,
  TermMetrics,
} from "@kintsugi/controller";
import { attacher } from "./attacher/attacher.ts";
import type { StorageDriver, StorageInputs } from "./context.ts";
import { provisioner } from "./provisioner/provisioner.ts";

/** Every controller there is; each is made once per term as leader. */
const controllers = [provisioner, attacher] as const;
/** Every API server here serves these. */
const served = [persistentVolumeClaims, persistentVolumes, storageClasses, csiNodes, nodes, volumeAttachments];

export interface CsiControllersDeps {
  client: Client;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: Metrics;
  driver: StorageDriver;
}

export interface CsiControllersOptions {
  /** The controllers work without electing a leader where this is absent. */
  leaderElection?: LeaderElectionOptions | undefined;
}

/** The time between two questions whether the driver is ready. */
const probeIntervalMs = 500;

/** Serves one storage driver's claims and attachments, while it leads, until the signal aborts. */
export async function runCsiControllers(
  deps: CsiControllersDeps,
  options: CsiControllersOptions,
  signal: AbortSignal,
): Promise<void> {
  const recorders = new EventRecorders(deps);
  const { client } = deps;
  const election = options.leaderElection;
  await runTogether(signal, [
    (ends) => recorders.run(ends),
    async (ends) => {
      const driverName = await readyDriverName(deps, ends);
      const work = (until: AbortSignal, writer: Client) =>
        runTerm({ ...deps, client: writer, driverName, recorders, reader: client }, until);
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

/** Returns the driver's name once it answers that it is ready. */
async function readyDriverName({ driver, clock, log }: CsiControllersDeps, signal: AbortSignal): Promise<string> {
  for (;;) {
    try {
      const { ready } = await driver.probe({}, signal);
      if (ready?.value !== false) return (await driver.getPluginInfo({}, signal)).name;
    } catch (error) {
      if (signal.aborted) throw error;
      log.debug("the driver does not answer yet", { error });
    }
    await clock.sleep(probeIntervalMs, signal);
  }
}

interface Term extends CsiControllersDeps {
  readonly driverName: string;
  readonly recorders: EventRecorders;
  /** The informers read with the client that needs no lead. */
  readonly reader: Client;
}

async function runTerm(term: Term, signal: AbortSignal): Promise<void> {
  const { client, reader, clock, random, log, driver, driverName, recorders } = term;
  const metrics = new TermMetrics(term.metrics);
  const eventsAs = recorders.during(signal);
  const inputs: StorageInputs & { options: Record<never, never> } = {
    client,
    clock,
    log,
    metrics,
    served,
    eventsAs,
    driver,
    driverName,
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
        log.info("serving the driver", { driver: driverName });
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
