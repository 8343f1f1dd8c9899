import type { Clock, Random } from "@kintsugi/clock";
import {
  cloudDefaults,
  createCloudController,
  type CsiDriver,
  type CsiIdentity,
  type CloudOptions,
  withFaults,
} from "@kintsugi/csi";
import { version } from "@kintsugi/daemon";
import { CloudDirectory } from "./host/cloud-directory.ts";
import { createHostMedia } from "./host/host-media.ts";
import { type InlineLimits, inlineLimitsDefault } from "./node/inline-room.ts";
import { createNodeService } from "./node/node-service.ts";

export interface LabDriverDeps {
  readonly clock: Clock;
  readonly random: Random;
}

export interface LabDriverOptions {
  readonly driverName: string;
  /** The cloud's directory, which all processes of the driver share. */
  readonly directory: string;
  /** True: new disks are images with ext4. False: directories. */
  readonly images: boolean;
  /** Limits of the cloud. Default: `cloudDefaults`. */
  readonly cloud?: Partial<CloudOptions>;
}

export interface LabNodeOptions extends LabDriverOptions {
  readonly nodeId: string;
  readonly zone: string;
  /** Default: `inlineLimitsDefault`. */
  readonly inlineLimits?: InlineLimits;
}

/** The controller's part of the driver; one process of a cluster runs it. */
export function createControllerDriver(deps: LabDriverDeps, options: LabDriverOptions): Partial<CsiDriver> {
  const cloud = new CloudDirectory(options.directory);
  const { driverName, images } = options;
  const media = createHostMedia(cloud, { ...cloudDefaults, ...options.cloud, driverName, images });
  const driver = { ...identity(driverName), ...createCloudController({ media, ...deps }) };
  return withFaults(driver, { ...deps, faultOf: (name) => cloud.findFault(name) });
}

/** A node's part of the driver. After the promise has resolved, the cloud has the node. */
export async function createNodeDriver(deps: LabDriverDeps, options: LabNodeOptions): Promise<Partial<CsiDriver>> {
  const cloud = new CloudDirectory(options.directory);
  const { driverName, nodeId, zone, images, inlineLimits = inlineLimitsDefault } = options;
  await cloud.putNode({ id: nodeId, zone });
  const { disksPerNodeMax } = { ...cloudDefaults, ...options.cloud };
  const driver = {
    ...identity(driverName),
    ...createNodeService(cloud, { driverName, nodeId, zone, images, disksPerNodeMax, inlineLimits }),
  };
  return withFaults(driver, { ...deps, faultOf: (name) => cloud.findFault(name) });
}

function identity(name: string): CsiIdentity {
  return {
    getPluginInfo: async () => ({ name, vendorVersion: version }),
    getPluginCapabilities: async () => ({
      capabilities: [
        { service: { type: "CONTROLLER_SERVICE" } },
        { service: { type: "VOLUME_ACCESSIBILITY_CONSTRAINTS" } },
        { volumeExpansion: { type: "ONLINE" } },
      ],
    }),
    probe: async () => ({ ready: { value: true } }),
  };
}
