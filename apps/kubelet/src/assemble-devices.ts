import { DeviceClaimRecords } from "./containers/devices/claim-records.ts";
import { ContainerDevices } from "./containers/devices/container-devices.ts";
import { DeviceClaims } from "./containers/devices/device-claims.ts";
import { DeviceDrivers } from "./containers/devices/device-drivers.ts";
import { SliceKeeper } from "./containers/devices/slice-keeper.ts";
import type { KubeletContext } from "./kubelet-context.ts";
import type { KubeletOptions } from "./kubelet-options.ts";

/** The parts that work with the node's device drivers. */
export interface DeviceParts {
  readonly drivers: DeviceDrivers;
  readonly claims: DeviceClaims;
  readonly ofContainers: ContainerDevices;
  readonly slices: SliceKeeper;
}

/** The claims that an earlier kubelet had prepared are already loaded. */
export async function assembleDevices(context: KubeletContext, options: KubeletOptions): Promise<DeviceParts> {
  const { plugins, copies, roster, pleg, node } = context;
  const drivers = new DeviceDrivers({ connect: plugins?.connectDevices ?? noPlugins });
  const records = new DeviceClaimRecords(context);
  await records.load();
  const isGone = (uid: string) =>
    copies.pods.synced &&
    pleg.hasListed &&
    copies.pods.byIndex("uid", uid).length === 0 &&
    !roster.has(uid) &&
    ![...pleg.records.values()].some(({ pod }) => pod.uid === uid);
  const claims = new DeviceClaims({ ...context, drivers, records, isGone });
  const ofContainers = new ContainerDevices({ ...context, claims }, options);
  return { drivers, claims, ofContainers, slices: new SliceKeeper({ ...context, ...node, drivers }) };
}

function noPlugins(): never {
  throw new Error("this node has no directory for plugins");
}
