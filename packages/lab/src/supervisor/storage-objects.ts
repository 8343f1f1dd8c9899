import {
  apiVersionOf,
  type CSIDriver,
  csiDrivers,
  customResourceDefinitions,
  defaultSnapshotClassAnnotation,
  isApiError,
  snapshotDefinitions,
  type StorageClass,
  storageClasses,
  type VolumeSnapshotClass,
  volumeSnapshotClasses,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import { labDriverName } from "../components/host-programs.ts";

const driver: CSIDriver = {
  apiVersion: apiVersionOf(csiDrivers),
  kind: csiDrivers.kind,
  metadata: { name: labDriverName },
  spec: {
    attachRequired: true,
    podInfoOnMount: true,
    volumeLifecycleModes: ["Persistent", "Ephemeral"],
    storageCapacity: true,
    fsGroupPolicy: "File",
  },
};

const labClass: StorageClass = {
  apiVersion: apiVersionOf(storageClasses),
  kind: storageClasses.kind,
  metadata: { name: "csi-lab", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: labDriverName,
  reclaimPolicy: "Delete",
  volumeBindingMode: "WaitForFirstConsumer",
  allowVolumeExpansion: true,
};

const labSnapshotClass: VolumeSnapshotClass = {
  apiVersion: apiVersionOf(volumeSnapshotClasses),
  kind: volumeSnapshotClasses.kind,
  metadata: { name: "csi-lab", annotations: { [defaultSnapshotClassAnnotation]: "true" } },
  driver: labDriverName,
  deletionPolicy: "Delete",
};

/** A definition is served within a second of its creation; a busy machine may take much longer. */
const servedTriesMax = 60;
const servedRetryMs = 500;

/** The client has the administrator's permissions, and is closed after the call. */
export function createStorageObjects(deps: { connect: () => Client; clock: Clock }) {
  return {
    /**
     * Creates the driver's object, the snapshot kinds and the default classes `csi-lab` if they are
     * missing.
     */
    async provide(): Promise<void> {
      const client = deps.connect();
      try {
        await client.create(csiDrivers, driver).catch(ignorePresent);
        await client.create(storageClasses, labClass).catch(ignorePresent);
        for (const definition of snapshotDefinitions)
          await client.create(customResourceDefinitions, definition).catch(ignorePresent);
        await createOnceServed(client, deps.clock);
      } finally {
        await client.close();
      }
    },
  };
}

async function createOnceServed(client: Client, clock: Clock): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await client.create(volumeSnapshotClasses, labSnapshotClass).catch(ignorePresent);
      return;
    } catch (error) {
      if (!isApiError(error, "NotFound") || tries === servedTriesMax) throw error;
    }
    await clock.sleep(servedRetryMs);
  }
}

function ignorePresent(error: unknown): void {
  if (!isApiError(error, "AlreadyExists")) throw error;
}
