import type { z } from "zod";
import { field, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, int64, map, quantity, text, time, zeroCounts } from "../../../schema/types.ts";
import { NodeSelector } from "../../core/pod/spec/affinity.ts";
import type { NamedType } from "./resource-versions.ts";

const unnumbered = undefined;

/** The types of which slices consist, under the names of one version. */
// oxlint-disable-next-line max-lines-per-function -- this is a table with one row per field
export function publishedDevicesOf(named: NamedType) {
  const DeviceAttribute = object(
    named("DeviceAttribute"),
    "DeviceAttribute is an attribute of a device. Exactly one field must be set.",
    () => ({
      int: field(2, zeroCounts(int64), "Value of the type integer."),
      bool: field(3, zeroCounts(bool), "Value of the type boolean."),
      string: field(4, zeroCounts(text), "Value of the type string, at most 64 bytes."),
      version: field(5, zeroCounts(text), "Semantic version according to semver.org 2.0.0, at most 64 bytes."),
      ints: field(unnumbered, atomicList(int64), "Values of the type integer."),
      bools: field(unnumbered, atomicList(bool), "Values of the type boolean."),
      strings: field(unnumbered, atomicList(text), "Values of the type string, each at most 64 bytes."),
      versions: field(unnumbered, atomicList(text), "Semantic versions according to semver.org 2.0.0."),
    }),
  );
  const CapacityRequestPolicyRange = object(
    named("CapacityRequestPolicyRange"),
    "CapacityRequestPolicyRange is a range of valid shares of a capacity.",
    () => ({
      min: required(1, quantity, "Minimum size of a share."),
      max: field(2, quantity, "Maximum size of a share. Defaults to the capacity."),
      step: field(3, quantity, "Step between valid sizes. A share is min plus a multiple of the step."),
    }),
  );
  const CapacityRequestPolicy = object(
    named("CapacityRequestPolicy"),
    "CapacityRequestPolicy restricts the shares of a capacity that requests may use.",
    () => ({
      default: field(1, quantity, "Share of a request that does not specify an amount."),
      validValues: field(
        3,
        atomicList(quantity),
        "Valid shares in ascending order, at most 10. Cannot be combined with validRange.",
      ),
      validRange: field(4, CapacityRequestPolicyRange, "Range of valid shares. Cannot be combined with validValues."),
    }),
  );
  const DeviceCapacity = object(
    named("DeviceCapacity"),
    "DeviceCapacity is a quantity that the device provides, such as memory.",
    () => ({
      value: required(1, quantity, "Amount of the capacity."),
      requestPolicy: field(
        2,
        CapacityRequestPolicy,
        "Policy for the shares that requests may use, if the device allows multiple allocations.",
      ),
    }),
  );
  const Counter = object(named("Counter"), "Counter is a limited quantity that devices consume.", () => ({
    value: required(1, quantity, "Amount of the counter."),
  }));
  const CounterSet = object(
    named("CounterSet"),
    "CounterSet is a set of counters that devices consume while they are allocated.",
    () => ({
      name: required(1, text, "Name, a DNS label that is unique in the pool."),
      counters: required(2, map(Counter), "Counters by name, at most 32. The names are DNS labels."),
    }),
  );
  const DeviceCounterConsumption = object(
    named("DeviceCounterConsumption"),
    "DeviceCounterConsumption lists the amounts that a device consumes from a set of counters.",
    () => ({
      counterSet: required(1, text, "Name of the set of counters."),
      counters: required(2, map(Counter), "Consumed amounts by counter, at most 32."),
    }),
  );
  const DeviceTaint = object(
    named("DeviceTaint"),
    "DeviceTaint withholds a device from requests that do not tolerate the taint.",
    () => ({
      key: required(1, text, "Key of the taint, a label key."),
      value: field(2, text, "Value of the taint, a label value."),
      effect: required(3, text, "Effect of the taint: None, NoSchedule or NoExecute."),
      timeAdded: field(4, time, "Time at which the taint was added. Defaults to the current time."),
    }),
  );
  const NodeAllocatableResourceMapping = object(
    named("NodeAllocatableResourceMapping"),
    "NodeAllocatableResourceMapping describes the amount of a node resource that a device consumes.",
    () => ({
      capacityKey: field(unnumbered, text, "Name of the device's capacity whose amount is consumed."),
      allocationMultiplier: field(
        unnumbered,
        quantity,
        "Factor by which the consumed amount is multiplied. Defaults to 1.",
      ),
    }),
  );
  const Device = object(named("Device"), "Device that can be allocated to claims.", () => ({
    name: required(1, text, "Name, a DNS label that is unique in the pool."),
    attributes: field(
      2,
      map(DeviceAttribute),
      "Attributes of the device by name, for selectors. A device has at most 32 attributes and capacities in total.",
    ),
    capacity: field(
      3,
      map(DeviceCapacity),
      "Capacities of the device by name. A device has at most 32 attributes and capacities in total.",
    ),
    consumesCounters: field(
      4,
      atomicList(DeviceCounterConsumption),
      "Sets of counters that the device consumes, at most 2.",
    ),
    nodeName: field(5, text, "Name of the device's node. Requires perDeviceNodeSelection in the slice."),
    nodeSelector: field(
      6,
      NodeSelector,
      "Selector of the nodes that can reach the device. Requires perDeviceNodeSelection in the slice.",
    ),
    allNodes: field(7, bool, "True if all nodes can reach the device. Requires perDeviceNodeSelection in the slice."),
    taints: field(8, atomicList(DeviceTaint), "Taints that requests must tolerate, at most 16."),
    bindsToNode: field(
      9,
      bool,
      "If true, limits the use of an allocated claim to the node for which the claim was allocated.",
    ),
    bindingConditions: field(10, atomicList(text), "Conditions that must be True before a pod is bound, at most 4."),
    bindingFailureConditions: field(
      11,
      atomicList(text),
      "Conditions that indicate a failed binding if one of them is True, at most 4.",
    ),
    allowMultipleAllocations: field(
      12,
      bool,
      "Allows allocation to multiple requests, which share the device's capacity, if true.",
    ),
    nodeAllocatableResourceMappings: field(
      unnumbered,
      map(NodeAllocatableResourceMapping),
      "Resources of the node that the device consumes.",
    ),
  }));
  const ResourcePool = object(
    named("ResourcePool"),
    "ResourcePool identifies the pool of devices that a slice belongs to.",
    () => ({
      name: required(1, text, "Name of the pool, DNS subdomains separated by slashes, at most 253 characters."),
      generation: required(
        2,
        int64,
        "Generation of the pool. Only slices with the pool's highest generation are used.",
      ),
      resourceSliceCount: required(3, int64, "Number of slices of the pool in this generation."),
    }),
  );
  const ResourceSliceSpec = object(named("ResourceSliceSpec"), "Devices that a driver publishes.", () => ({
    driver: required(1, text, "Name of the driver that publishes the slice."),
    pool: required(2, ResourcePool, "Pool that the slice belongs to."),
    nodeName: field(
      3,
      text,
      "Name of the node with the devices. Cannot be combined with nodeSelector, allNodes or perDeviceNodeSelection.",
    ),
    nodeSelector: field(
      4,
      NodeSelector,
      "Selector of the nodes that can reach the devices. Must have exactly one term.",
    ),
    allNodes: field(5, bool, "True if all nodes can reach the devices."),
    devices: field(
      6,
      atomicList(Device),
      "Devices of the slice, at most 128, or at most 64 if a device has taints or counters.",
    ),
    perDeviceNodeSelection: field(7, bool, "Selects nodes for each device individually if true."),
    sharedCounters: field(
      8,
      atomicList(CounterSet),
      "Sets of counters that devices of the pool consume, at most 8. Cannot be combined with devices.",
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
