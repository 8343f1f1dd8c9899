import { apiVersionOf, type CSIDriver, csiDrivers, isApiError, type StorageClass, storageClasses } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { labDriverName } from "../components/components.ts";

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

/** The client has the administrator's rights, and is closed after the call. */
export function createStorageObjects(deps: { connect: () => Client }) {
  return {
    /** Creates the driver's object and the default class `csi-lab` where they are missing. */
    async provide(): Promise<void> {
      const client = deps.connect();
      try {
        await client.create(csiDrivers, driver).catch(ignorePresent);
        await client.create(storageClasses, labClass).catch(ignorePresent);
      } finally {
        await client.close();
      }
    },
  };
}

function ignorePresent(error: unknown): void {
  if (!isApiError(error, "AlreadyExists")) throw error;
}
