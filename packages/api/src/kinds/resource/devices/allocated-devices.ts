import type { z } from "zod";
import { Condition } from "../../../meta/condition-type.ts";
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
  const driver = "Name of the driver that manages the device.";
  const pool = "Name of the device's pool.";
  const device = "Name of the device in its pool.";
  const shareID = "UID of the share, which distinguishes shares of the same device.";
  const DeviceRequestAllocationResult = object(
    named("DeviceRequestAllocationResult"),
    "DeviceRequestAllocationResult is a device that was allocated to a request.",
    () => ({
      request: required(1, text, "Name of the request, or request/subrequest."),
      driver: required(2, text, driver),
      pool: required(3, text, pool),
      device: required(4, text, device),
      adminAccess: field(5, bool, "True if the device was allocated for administrative access."),
      tolerations: field(6, atomicList(DeviceToleration), "Tolerations of the request at the time of the allocation."),
      bindingConditions: field(7, atomicList(text), "Conditions that must be True before the pod is bound."),
      bindingFailureConditions: field(
        8,
        atomicList(text),
        "Conditions that indicate a failed binding if one of them is True.",
      ),
      shareID: field(9, text, shareID),
      consumedCapacity: field(10, map(quantity), "Amounts of the device's capacity that the request consumes."),
    }),
  );
  const DeviceAllocationConfiguration = object(
    named("DeviceAllocationConfiguration"),
    "DeviceAllocationConfiguration contains parameters for a driver and their source.",
    () => ({
      source: required(1, text, "Source of the parameters: FromClass or FromClaim."),
      requests: field(2, atomicList(text), requestNames),
      ...embedded(3, configuration()),
    }),
  );
  const DeviceAllocationResult = object(
    named("DeviceAllocationResult"),
    "DeviceAllocationResult lists the allocated devices.",
    () => ({
      results: field(1, atomicList(DeviceRequestAllocationResult), "Allocated devices, at most 32."),
      config: field(2, atomicList(DeviceAllocationConfiguration), "Parameters for drivers, at most 64."),
    }),
  );
  const AllocationResult = object(
    named("AllocationResult"),
    "AllocationResult lists the devices that are allocated to a claim, and the nodes that can use the devices.",
    () => ({
      devices: field(1, DeviceAllocationResult, "Devices that were allocated."),
      nodeSelector: field(
        3,
        NodeSelector,
        "Selector of the nodes on which the devices can be used. Defaults to all nodes.",
      ),
      allocationTimestamp: field(5, time, "Time at which the devices were allocated."),
    }),
  );
  const ResourceClaimConsumerReference = object(
    named("ResourceClaimConsumerReference"),
    "ResourceClaimConsumerReference refers to an object that may use the claim.",
    () => ({
      apiGroup: field(1, text, "API group of the consumer. Defaults to the core group."),
      resource: required(3, text, "Resource of the consumer, such as pods."),
      name: required(4, text, "Name of the consumer, in the namespace of the claim."),
      uid: required(5, text, "UID of the consumer."),
    }),
  );
  const NetworkDeviceData = object(
    named("NetworkDeviceData"),
    "NetworkDeviceData describes a device that is a network interface.",
    () => ({
      interfaceName: field(1, text, "Name of the interface in the pod, at most 256 bytes."),
      ips: field(2, atomicList(text), "Addresses with their prefix, such as 192.0.2.5/24, at most 16."),
      hardwareAddress: field(3, text, "Hardware address of the interface, at most 128 bytes."),
    }),
  );
  const AllocatedDeviceStatus = object(
    named("AllocatedDeviceStatus"),
    "AllocatedDeviceStatus is a driver's report on an allocated device.",
    () => ({
      driver: required(1, text, driver),
      pool: required(2, text, pool),
      device: required(3, text, device),
      conditions: field(4, keyedListReplaced(Condition, ["type"]), "Conditions of the device, at most 8."),
      data: field(5, rawObject, "Driver-specific data, a JSON object of at most 10 KiB."),
      networkData: field(6, NetworkDeviceData, "Network interface of the device."),
      shareID: field(7, text, shareID),
    }),
  );
  const ResourceClaimStatus = object(
    named("ResourceClaimStatus"),
    "Observed state of a claim and its allocation.",
    () => ({
      allocation: field(1, AllocationResult, "Result of the allocation. Unset if the claim is not allocated."),
      reservedFor: field(
        2,
        keyedList(ResourceClaimConsumerReference, ["uid"]),
        "Consumers that may use the claim, at most 256.",
      ),
      devices: field(
        4,
        keyedListReplaced(AllocatedDeviceStatus, ["driver", "device", "pool", "shareID"]),
        "Status of the allocated devices, as reported by their drivers.",
      ),
    }),
  );
  return { ResourceClaimStatus };
}

export type ResourceClaimStatus = z.infer<ReturnType<typeof allocatedDevicesOf>["ResourceClaimStatus"]>;
export type AllocationResult = NonNullable<ResourceClaimStatus["allocation"]>;
export type DeviceRequestAllocationResult = NonNullable<NonNullable<AllocationResult["devices"]>["results"]>[number];
export type AllocatedDeviceStatus = NonNullable<ResourceClaimStatus["devices"]>[number];
