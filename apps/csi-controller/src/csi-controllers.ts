import {
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  type ResourceType,
  storageClasses,
  volumeAttachments,
  volumeAttributesClasses,
  volumeSnapshotClasses,
  volumeSnapshotContents,
  volumeSnapshots,
} from "@kintsugi/api";
import {
  type LeaderElectionOptions,
  runLedControllers,
  runTogether,
  type LedControllersDeps,
} from "@kintsugi/controller";
import { capacityPublisher } from "./capacity/capacity-publisher.ts";
import { attacher } from "./attacher/attacher.ts";
import { measuredDriver } from "./call-metrics.ts";
import type { StorageDriver } from "./context.ts";
import { modifier } from "./modifier/modifier.ts";
import { provisioner } from "./provisioner/provisioner.ts";
import { resizer } from "./resizer/resizer.ts";
import { untilCapable, untilServed } from "./served-kinds.ts";
import { snapshotBinder } from "./snapshots/snapshot-binder.ts";
import { snapshotter } from "./snapshots/snapshotter.ts";

// Three programs in one process serve a driver. Each has its own Lease, so that a program that
// waits for its kinds delays no other program:
//
//   kintsugi-csi-controller                 volumes, attachments, growth, room
//   kintsugi-csi-controller-snapshots       when the snapshot kinds are defined
//   kintsugi-csi-controller-modification    where the API server serves VolumeAttributesClasses

/** Each controller is made once per term as leader. */
const controllers = [provisioner, attacher, resizer, capacityPublisher] as const;
/** Every Kintsugi API server serves these kinds. */
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

const snapshotControllers = [snapshotBinder, snapshotter] as const;
const snapshotKinds = [volumeSnapshots, volumeSnapshotContents, volumeSnapshotClasses] as unknown as ResourceType[];

const modificationControllers = [modifier] as const;

export interface CsiControllersDeps extends LedControllersDeps {
  driver: StorageDriver;
}

export interface CsiControllersOptions {
  /** Absent: the controllers work without electing a leader. */
  leaderElection?: LeaderElectionOptions | undefined;
}

/** Interval at which the driver is called until it is ready. */
const probeIntervalMs = 500;

/** Serves one storage driver's claims and attachments while it leads, until the signal aborts. */
export async function runCsiControllers(
  deps: CsiControllersDeps,
  options: CsiControllersOptions,
  signal: AbortSignal,
): Promise<void> {
  const { log } = deps;
  const { leaderElection } = options;
  const ownOnce = async (ends: AbortSignal) => {
    const driverName = await readyDriverName(deps, ends);
    return { driver: measuredDriver(deps.driver, { ...deps, driverName }), driverName };
  };
  const onSynced = ({ driverName }: { driverName: string }) => log.info("serving the driver", { driver: driverName });
  const lease = (part: string) => leaderElection && { ...leaderElection, name: `${leaderElection.name}-${part}` };
  const volumes = { controllers, served, own: ownOnce, leaderElection, onSynced };
  const snapshots = {
    controllers: snapshotControllers,
    served: [...snapshotKinds, persistentVolumeClaims, persistentVolumes],
    own: async (ends: AbortSignal) => {
      const own = await ownOnce(ends);
      await untilCapable(deps, "CREATE_DELETE_SNAPSHOT", ends);
      await untilServed(deps, snapshotKinds, ends);
      return own;
    },
    leaderElection: lease("snapshots"),
    onSynced: () => log.info("serving snapshots"),
  };
  const modification = {
    controllers: modificationControllers,
    served: [persistentVolumeClaims, persistentVolumes, volumeAttributesClasses],
    own: async (ends: AbortSignal) => {
      const own = await ownOnce(ends);
      await untilCapable(deps, "MODIFY_VOLUME", ends);
      await untilServed(deps, [volumeAttributesClasses], ends);
      return own;
    },
    leaderElection: lease("modification"),
  };
  await runTogether(signal, [
    (ends) => runLedControllers(deps, volumes, ends),
    (ends) => runLedControllers(deps, snapshots, ends),
    (ends) => runLedControllers(deps, modification, ends),
  ]);
}

/** Returns the driver's name after it answers that it is ready. */
async function readyDriverName({ driver, clock, log }: CsiControllersDeps, signal: AbortSignal): Promise<string> {
  for (;;) {
    try {
      const { ready } = await driver.probe({}, signal);
      if (ready?.value !== false) return (await driver.getPluginInfo({}, signal)).name;
    } catch (error) {
      if (signal.aborted) throw error;
      log.debug("the driver does not respond yet", { error });
    }
    await clock.sleep(probeIntervalMs, signal);
  }
}
