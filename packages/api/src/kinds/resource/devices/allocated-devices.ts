import type { z } from "zod";
import { Condition } from "../../../meta/condition.ts";
import { embedded, field, object, required } from "../../../schema/fields.ts";
import {
  atomicList,
  bool,
  keyedList,
  keyedListReplaced,
  map,
  quantity,
  rawObject,
  text,
  time,
} from "../../../schema/types.ts";
import { NodeSelector } from "../../core/pod/spec/affinity.ts";
import type { requestedDevicesOf } from "./requested-devices.ts";
import type { NamedType } from "./resource-versions.ts";

type Requested = ReturnType<typeof requestedDevicesOf>;

/** The types of a claim's status, under the names of one version. */
// oxlint-disable-next-line max-lines-per-function -- this is a table with one row per field
export function allocatedDevicesOf(named: NamedType, { DeviceToleration, configuration, requestNames }: Requested) {
  const driver = "The driver with this name manages the device.";
  const pool = "The device belongs to the pool with this name.";
  const device = "The device has this name in its pool.";
  const shareID = "The UID tells shares of one device apart.";
  const DeviceRequestAllocationResult = object(
    named("DeviceRequestAllocationResult"),
    "The device was allocated to a request.",
    () => ({
      request: required(1, text, "The request, or request/subrequest, has this name."),
      driver: required(2, text, driver),
      pool: required(3, text, pool),
      device: required(4, text, device),
      adminAccess: field(5, bool, "The device was allocated for its administration."),
      tolerations: field(6, atomicList(DeviceToleration), "The request tolerated these taints."),
      bindingConditions: field(7, atomicList(text), "The device had these binding conditions."),
      bindingFailureConditions: field(8, atomicList(text), "The device had these conditions of a failed binding."),
      shareID: field(9, text, shareID),
      consumedCapacity: field(10, map(quantity), "The request takes these amounts of the device."),
    }),
  );
  const DeviceAllocationConfiguration = object(
    named("DeviceAllocationConfiguration"),
    "Parameters for a driver, with their source.",
    () => ({
      source: required(1, text, "The parameters come from the class (FromClass) or the claim (FromClaim)."),
      requests: field(2, atomicList(text), requestNames),
      ...embedded(3, configuration()),
    }),
  );
  const DeviceAllocationResult = object(named("DeviceAllocationResult"), "The devices that were allocated.", () => ({
    results: field(1, atomicList(DeviceRequestAllocationResult), "The devices, 32 at most."),
    config: field(2, atomicList(DeviceAllocationConfiguration), "The parameters for drivers, 64 at most."),
  }));
  const AllocationResult = object(named("AllocationResult"), "The result of an allocation.", () => ({
    devices: field(1, DeviceAllocationResult, "The devices that were allocated."),
    nodeSelector: field(3, NodeSelector, "The devices can be used on these nodes; the default is all nodes."),
    allocationTimestamp: field(5, time, "The devices were allocated at this time."),
  }));
  const ResourceClaimConsumerReference = object(
    named("ResourceClaimConsumerReference"),
    "The consumer may use the claim.",
    () => ({
      apiGroup: field(1, text, "API group of the consumer; the default is the core group."),
      resource: required(3, text, "Resource of the consumer, such as pods."),
      name: required(4, text, "Name of the consumer, which is in the claim's namespace."),
      uid: required(5, text, "UID of the consumer."),
    }),
  );
  const NetworkDeviceData = object(named("NetworkDeviceData"), "The device is a network interface.", () => ({
    interfaceName: field(1, text, "Name of the interface in the pod, 256 bytes at most."),
    ips: field(2, atomicList(text), 'Addresses with their prefix, such as "192.0.2.5/24", 16 at most.'),
    hardwareAddress: field(3, text, "Hardware address of the interface, 128 bytes at most."),
  }));
  const AllocatedDeviceStatus = object(
    named("AllocatedDeviceStatus"),
    "The driver reports on an allocated device.",
    () => ({
      driver: required(1, text, driver),
      pool: required(2, text, pool),
      device: required(3, text, device),
      conditions: field(4, keyedListReplaced(Condition, ["type"]), "The conditions of the device, 8 at most."),
      data: field(5, rawObject, "The driver keeps this JSON object, 10 KiB at most."),
      networkData: field(6, NetworkDeviceData, "The device is this network interface."),
      shareID: field(7, text, shareID),
    }),
  );
  const ResourceClaimStatus = object(named("ResourceClaimStatus"), "The allocation of the claim.", () => ({
    allocation: field(1, AllocationResult, "The allocation; the claim has none while this is unset."),
    reservedFor: field(
      2,
      keyedList(ResourceClaimConsumerReference, ["uid"]),
      "These consumers may use the claim, 256 at most.",
    ),
    devices: field(
      4,
      keyedListReplaced(AllocatedDeviceStatus, ["driver", "device", "pool", "shareID"]),
      "Drivers report here on the devices that were allocated.",
    ),
  }));
  return { ResourceClaimStatus };
}

export type ResourceClaimStatus = z.infer<ReturnType<typeof allocatedDevicesOf>["ResourceClaimStatus"]>;
export type AllocationResult = NonNullable<ResourceClaimStatus["allocation"]>;
export type DeviceRequestAllocationResult = NonNullable<NonNullable<AllocationResult["devices"]>["results"]>[number];
export type AllocatedDeviceStatus = NonNullable<ResourceClaimStatus["devices"]>[number];
