import {
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
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
import { type LeaderElectionOptions, runLedControllers } from "@kintsugi/controller";
import { capacityPublisher } from "./capacity/capacity-publisher.ts";
import { attacher } from "./attacher/attacher.ts";
import type { StorageDriver } from "./context.ts";
import { provisioner } from "./provisioner/provisioner.ts";
import { resizer } from "./resizer/resizer.ts";

/** Every controller there is; each is made once per term as leader. */
const controllers = [provisioner, attacher, resizer, capacityPublisher] as const;
/** Every API server here serves these. */
const served = [
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  nodes,
  volumeAttachments,
];

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
  const { driver, log } = deps;
  const own = async (ends: AbortSignal) => ({ driver, driverName: await readyDriverName(deps, ends) });
  const onSynced = ({ driverName }: { driverName: string }) => log.info("serving the driver", { driver: driverName });
  const { leaderElection } = options;
  await runLedControllers(deps, { controllers, served, own, leaderElection, onSynced }, signal);
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
