import type { Client } from "@kintsugi/client";
import { controllerDefiner, type ControllerInputs, type Informers, type OwnContext } from "@kintsugi/controller";
import type { CsiController, CsiIdentity } from "@kintsugi/csi";

/** The calls that the service makes. The Node service is called by kubelets. */
export type StorageDriver = CsiController & CsiIdentity;

export interface StorageInputs extends ControllerInputs {
  /** Rejects writes when this process no longer leads. */
  client: Client;
  driver: StorageDriver;
  driverName: string;
}

export interface World extends StorageInputs {
  informers: Informers;
}

export type StorageContext = OwnContext<World>;

/** Declares one controller. `csi-controllers.ts` lists all controllers. */
export const defineStorageController = controllerDefiner<StorageInputs, World>();
