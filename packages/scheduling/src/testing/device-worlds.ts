import type { Device, DeviceClaim, ResourceClaim, ResourceSlice } from "@kintsugi/api";
import { allocateDevices } from "../devices/allocator/allocate.ts";
import { type AllocationBudget, newAllocationBudget } from "../devices/allocator/world.ts";
import { Devices } from "../devices/devices.ts";
import { aDeviceClaim, aDeviceClass, aDeviceRequest, aSlice, selecting, testDriver, testSelectors } from "./devices.ts";

const node = { name: "a", labels: { zone: "z1" } };

export interface DeviceWorld {
  slices?: readonly ResourceSlice[];
  /** Known claims, with their allocations. */
  known?: readonly ResourceClaim[];
}

function worldOf({ slices = [], known = [] }: DeviceWorld): Devices {
  const devices = new Devices(testSelectors);
  devices.putClass(aDeviceClass("gpu", "true"));
  devices.putClass({
    metadata: { name: "old" },
    spec: {
      selectors: selecting("model=old"),
      config: [{ opaque: { driver: testDriver, parameters: { old: true } } }],
    },
  });
  for (const slice of slices) devices.putSlice(slice);
  for (const claim of known) devices.putClaim(claim);
  return devices;
}

export function allocateOn(world: DeviceWorld, ...claims: DeviceClaim[]) {
  return allocateWith(newAllocationBudget(), world, claims);
}

export function allocateWith(budget: AllocationBudget, world: DeviceWorld, claims: readonly DeviceClaim[]) {
  const devices = worldOf(world);
  return allocateDevices(
    claims.map((claim, index) => aDeviceClaim(`c${index}`, claim)),
    {
      node,
      pools: devices.poolsFor(node),
      inUse: devices.inUse,
      selectors: devices.selectors,
      findClass: (name) => devices.findClass(name),
    },
    budget,
  );
}

/** Returns "request: device" of each claim, or the reason why there is no allocation. */
export function devicesFor(world: DeviceWorld, ...claims: DeviceClaim[]): string[][] | string {
  const outcome = allocateOn(world, ...claims);
  switch (outcome.is) {
    case "allocated":
      return outcome.allocations.map(({ devices }) =>
        (devices?.results ?? []).map(({ request, device }) => `${request}: ${device}`),
      );
    case "does not fit":
      return "does not fit";
    case "fault":
      return outcome.because;
  }
}

export const here = (...devices: Device[]): DeviceWorld => ({ slices: [aSlice({ nodeName: "a", devices })] });
export const oneDevice = { requests: [aDeviceRequest("r")] };
export const inUse = (device: string, more: object = {}): ResourceClaim =>
  aDeviceClaim(`of-${device}`, oneDevice, {
    allocation: { devices: { results: [{ request: "r", driver: testDriver, pool: "a", device, ...more }] } },
  });

/** A request with two alternatives, "new" and "other", by their selectors. */
export function alternatives(name: string, first: string, second: string) {
  const wanted = { deviceClassName: "gpu", allocationMode: "ExactCount", count: 1 };
  return {
    name,
    firstAvailable: [
      { name: "new", ...wanted, selectors: selecting(first) },
      { name: "other", ...wanted, selectors: selecting(second) },
    ],
  };
}

export function zone(value: string) {
  return { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In" as const, values: [value] }] }] };
}
