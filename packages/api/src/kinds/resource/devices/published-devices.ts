import type { z } from "zod";
import { field, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, int64, map, quantity, text, time, zeroCounts } from "../../../schema/types.ts";
import { NodeSelector } from "../../core/pod/spec/affinity.ts";
import type { NamedType } from "./resource-versions.ts";

const unnumbered = undefined;

/** The types that slices consist of, under the names of one version. */
// oxlint-disable-next-line max-lines-per-function -- this is a table with one row per field
export function publishedDevicesOf(named: NamedType) {
  const DeviceAttribute = object(named("DeviceAttribute"), "The attribute has exactly one of these values.", () => ({
    int: field(2, zeroCounts(int64), "The value is a whole number."),
    bool: field(3, zeroCounts(bool), "The value is true or false."),
    string: field(4, zeroCounts(text), "The value is a text of 64 bytes at most."),
    version: field(5, zeroCounts(text), "The value is a version of semver.org 2.0.0, 64 bytes at most."),
    ints: field(unnumbered, atomicList(int64), "The values are whole numbers."),
    bools: field(unnumbered, atomicList(bool), "The values are true or false."),
    strings: field(unnumbered, atomicList(text), "The values are texts of 64 bytes at most."),
    versions: field(unnumbered, atomicList(text), "The values are versions of semver.org 2.0.0."),
  }));
  const CapacityRequestPolicyRange = object(
    named("CapacityRequestPolicyRange"),
    "A share of the capacity lies in this range.",
    () => ({
      min: required(1, quantity, "A share is at least this much."),
      max: field(2, quantity, "A share is at most this much; the default is the capacity."),
      step: field(3, quantity, "A share is min and a multiple of this."),
    }),
  );
  const CapacityRequestPolicy = object(
    named("CapacityRequestPolicy"),
    "The policy says which shares may be had.",
    () => ({
      default: field(1, quantity, "A request without an amount gets this share."),
      validValues: field(
        3,
        atomicList(quantity),
        "A share is one of these, 10 at most, in ascending order; it excludes validRange.",
      ),
      validRange: field(4, CapacityRequestPolicyRange, "A share lies in this range; it excludes validValues."),
    }),
  );
  const DeviceCapacity = object(named("DeviceCapacity"), "The capacity is an amount that the device has.", () => ({
    value: required(1, quantity, "The device has this much."),
    requestPolicy: field(
      2,
      CapacityRequestPolicy,
      "Shares of a device that may be allocated several times follow this policy.",
    ),
  }));
  const Counter = object(named("Counter"), "The counter is an amount.", () => ({
    value: required(1, quantity, "The amount."),
  }));
  const CounterSet = object(named("CounterSet"), "Devices take from these counters while they are allocated.", () => ({
    name: required(1, text, "The name is a DNS label that is unique in the pool."),
    counters: required(2, map(Counter), "Each counter has a DNS label as its name; there are 32 at most."),
  }));
  const DeviceCounterConsumption = object(named("DeviceCounterConsumption"), "The device takes from counters.", () => ({
    counterSet: required(1, text, "The counters belong to the set with this name."),
    counters: required(2, map(Counter), "The device takes this much from each counter; there are 32 at most."),
  }));
  const DeviceTaint = object(
    named("DeviceTaint"),
    "The taint keeps requests from a device that do not tolerate it.",
    () => ({
      key: required(1, text, "The key is the name of a label."),
      value: field(2, text, "The value is the value of a label."),
      effect: required(3, text, "The effect is None, NoSchedule or NoExecute."),
      timeAdded: field(4, time, "The taint was added at this time; the default is now."),
    }),
  );
  const NodeAllocatableResourceMapping = object(
    named("NodeAllocatableResourceMapping"),
    "The device takes from a resource of its node.",
    () => ({
      capacityKey: field(unnumbered, text, "The amount is that of this capacity of the device."),
      allocationMultiplier: field(unnumbered, quantity, "The amount is multiplied by this; the default is 1."),
    }),
  );
  const Device = object(named("Device"), "The device can be allocated to claims.", () => ({
    name: required(1, text, "The name is a DNS label that is unique in the pool."),
    attributes: field(2, map(DeviceAttribute), "Selectors read these; there are 32 attributes and capacities at most."),
    capacity: field(
      3,
      map(DeviceCapacity),
      "The device has these amounts; there are 32 attributes and capacities at most.",
    ),
    consumesCounters: field(
      4,
      atomicList(DeviceCounterConsumption),
      "The device takes from these sets of counters, 2 at most.",
    ),
    nodeName: field(5, text, "The device is on this node; only with perDeviceNodeSelection of the slice."),
    nodeSelector: field(
      6,
      NodeSelector,
      "The device can be reached from these nodes; only with perDeviceNodeSelection.",
    ),
    allNodes: field(7, bool, "The device can be reached from all nodes; only with perDeviceNodeSelection."),
    taints: field(8, atomicList(DeviceTaint), "Requests have to tolerate these taints, 16 at most."),
    bindsToNode: field(9, bool, "A claim for the device can be used only on the node that it was allocated for."),
    bindingConditions: field(
      10,
      atomicList(text),
      "A pod is bound only once all of these conditions, 4 at most, are True.",
    ),
    bindingFailureConditions: field(
      11,
      atomicList(text),
      "The binding has failed where one of these conditions, 4 at most, is True.",
    ),
    allowMultipleAllocations: field(
      12,
      bool,
      "The device may be allocated to several requests, which share its capacity.",
    ),
    nodeAllocatableResourceMappings: field(
      unnumbered,
      map(NodeAllocatableResourceMapping),
      "The device takes from these resources of its node.",
    ),
  }));
  const ResourcePool = object(named("ResourcePool"), "The pool has all devices of one place.", () => ({
    name: required(1, text, "The name is DNS subdomains with slashes between them, 253 characters at most."),
    generation: required(2, int64, "Only slices of the pool's highest generation count."),
    resourceSliceCount: required(3, int64, "The pool has this many slices in this generation."),
  }));
  const ResourceSliceSpec = object(named("ResourceSliceSpec"), "The devices that a driver publishes.", () => ({
    driver: required(1, text, "The driver with this name publishes the slice."),
    pool: required(2, ResourcePool, "The slice is a part of this pool."),
    nodeName: field(3, text, "The devices are on this node; it excludes the other ways to choose nodes."),
    nodeSelector: field(4, NodeSelector, "The devices can be reached from these nodes; there is exactly one term."),
    allNodes: field(5, bool, "The devices can be reached from all nodes."),
    devices: field(6, atomicList(Device), "The devices, 128 at most, and 64 where one has taints or counters."),
    perDeviceNodeSelection: field(7, bool, "Each device names its nodes."),
    sharedCounters: field(
      8,
      atomicList(CounterSet),
      "The counters that devices of the pool take from, 8 sets at most; it excludes devices.",
    ),
  }));
  return { ResourceSliceSpec };
}

export type ResourceSliceSpec = z.infer<ReturnType<typeof publishedDevicesOf>["ResourceSliceSpec"]>;
export type Device = NonNullable<ResourceSliceSpec["devices"]>[number];
export type DeviceTaint = NonNullable<Device["taints"]>[number];
export type DeviceAttribute = NonNullable<Device["attributes"]>[string];
type DeviceCapacity = NonNullable<Device["capacity"]>[string];
export type CapacityRequestPolicy = NonNullable<DeviceCapacity["requestPolicy"]>;
