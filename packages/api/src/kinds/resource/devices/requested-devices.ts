import type { z } from "zod";
import { embedded, field, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, int64, map, oneOf, quantity, rawObject, text } from "../../../schema/types.ts";
import type { NamedType } from "./resource-versions.ts";

const requestNames =
  "Names of the requests that the entry applies to, in the form request or request/subrequest. Defaults to all requests.";

/** The types of which claims, templates and classes consist, under the names of one version. */
// oxlint-disable-next-line max-lines-per-function -- this is a table with one row per field
export function requestedDevicesOf(named: NamedType) {
  const CELDeviceSelector = object(
    named("CELDeviceSelector"),
    "CELDeviceSelector selects devices with a CEL expression.",
    () => ({
      expression: required(
        1,
        text,
        "CEL expression that returns true for suitable devices. The variables are device.driver, device.attributes and device.capacity.",
      ),
    }),
  );
  const DeviceSelector = object(
    named("DeviceSelector"),
    "DeviceSelector selects devices. Exactly one field must be set.",
    () => ({
      cel: field(1, CELDeviceSelector, "CEL expression that selects devices."),
    }),
  );
  const OpaqueDeviceConfiguration = object(
    named("OpaqueDeviceConfiguration"),
    "OpaqueDeviceConfiguration contains parameters that only one driver interprets.",
    () => ({
      driver: required(1, text, "Name of the driver that receives the parameters."),
      parameters: required(2, rawObject, "Parameters as a JSON object of at most 10 KiB."),
    }),
  );
  const configuration = () => ({ opaque: field(1, OpaqueDeviceConfiguration, "Parameters of one driver.") });
  const DeviceToleration = object(
    named("DeviceToleration"),
    "DeviceToleration allows the use of devices with a matching taint.",
    () => ({
      key: field(1, text, "Key of the taint. Defaults to all keys."),
      operator: field(2, oneOf("Equal", "Exists"), "Operator of the comparison: Equal or Exists. Defaults to Equal."),
      value: field(3, text, "Value of the taint. Must be empty for the operator Exists."),
      effect: field(4, text, "Effect of the taint: NoSchedule or NoExecute. Defaults to all effects."),
      tolerationSeconds: field(
        5,
        int64,
        "Time for which a taint with the effect NoExecute is tolerated, in seconds. Defaults to no limit.",
      ),
    }),
  );
  const CapacityRequirements = object(
    named("CapacityRequirements"),
    "CapacityRequirements lists the amounts that a device must provide.",
    () => ({
      requests: field(1, map(quantity), "Required amounts, by name of the capacity."),
    }),
  );
  const selectors = "Selectors for devices. A device must match every selector.";
  const mode =
    "Allocation mode: ExactCount allocates the number of devices in count, All allocates all matching devices of a pool. Defaults to ExactCount.";
  const count = "Number of devices in the mode ExactCount. Defaults to 1.";
  const deviceClass = "Name of the DeviceClass. Its selectors and configuration apply in addition.";
  const tolerations = "Tolerations for device taints.";
  const capacity = "Amounts of capacity that each device must provide.";
  const ExactDeviceRequest = object(
    named("ExactDeviceRequest"),
    "ExactDeviceRequest is a request for devices of one class.",
    () => ({
      deviceClassName: required(1, text, deviceClass),
      selectors: field(2, atomicList(DeviceSelector), selectors),
      allocationMode: field(3, text, mode),
      count: field(4, int64, count),
      adminAccess: field(
        5,
        bool,
        "Requests administrative access if true, even to devices in use. The namespace must have the label resource.kubernetes.io/admin-access with the value true.",
      ),
      tolerations: field(6, atomicList(DeviceToleration), tolerations),
      capacity: field(7, CapacityRequirements, capacity),
    }),
  );
  const DeviceSubRequest = object(
    named("DeviceSubRequest"),
    "DeviceSubRequest is one of several alternatives of a request.",
    () => ({
      name: required(1, text, "Name of the subrequest, a DNS label that is unique in the request."),
      deviceClassName: required(2, text, deviceClass),
      selectors: field(3, atomicList(DeviceSelector), selectors),
      allocationMode: field(4, text, mode),
      count: field(5, int64, count),
      tolerations: field(6, atomicList(DeviceToleration), tolerations),
      capacity: field(7, CapacityRequirements, capacity),
    }),
  );
  const DeviceRequest = object(
    named("DeviceRequest"),
    "DeviceRequest is a request for devices. Exactly one of exactly and firstAvailable must be set.",
    () => ({
      name: required(
        1,
        text,
        "Name of the request, a DNS label. Containers, constraints and configurations refer to the request by this name.",
      ),
      exactly: field(2, ExactDeviceRequest, "Requested devices. Cannot be combined with firstAvailable."),
      firstAvailable: field(
        3,
        atomicList(DeviceSubRequest),
        "Alternatives in order of preference. Cannot be combined with exactly.",
      ),
    }),
  );
  const DeviceConstraint = object(
    named("DeviceConstraint"),
    "DeviceConstraint restricts the combination of devices for several requests.",
    () => ({
      requests: field(1, atomicList(text), requestNames),
      matchAttribute: field(
        2,
        text,
        "Fully qualified name of the attribute that must have the same value for all devices.",
      ),
      distinctAttribute: field(
        3,
        text,
        "Fully qualified name of the attribute that must have a different value for each device.",
      ),
    }),
  );
  const DeviceClaimConfiguration = object(
    named("DeviceClaimConfiguration"),
    "DeviceClaimConfiguration contains parameters for a driver.",
    () => ({
      requests: field(1, atomicList(text), requestNames),
      ...embedded(2, configuration()),
    }),
  );
  const DeviceClaim = object(named("DeviceClaim"), "DeviceClaim lists the requested devices.", () => ({
    requests: field(1, atomicList(DeviceRequest), "Requests of the claim, at most 32. All requests must be satisfied."),
    constraints: field(
      2,
      atomicList(DeviceConstraint),
      "Constraints on the devices, at most 32. All constraints must hold.",
    ),
    config: field(
      3,
      atomicList(DeviceClaimConfiguration),
      "Parameters for drivers, at most 32. The scheduler ignores the parameters.",
    ),
  }));
  const ResourceClaimSpec = object(named("ResourceClaimSpec"), "Devices that a claim requests. Immutable.", () => ({
    devices: field(1, DeviceClaim, "Devices that the claim requests."),
  }));
  return { DeviceSelector, DeviceToleration, ResourceClaimSpec, configuration, requestNames };
}

type Parts = ReturnType<typeof requestedDevicesOf>;
export type ResourceClaimSpec = z.infer<Parts["ResourceClaimSpec"]>;
export type DeviceClaim = NonNullable<ResourceClaimSpec["devices"]>;
export type DeviceRequest = NonNullable<DeviceClaim["requests"]>[number];
export type DeviceSelector = z.infer<Parts["DeviceSelector"]>;
export type DeviceToleration = z.infer<Parts["DeviceToleration"]>;
export type OpaqueDeviceConfiguration = NonNullable<NonNullable<DeviceClaim["config"]>[number]["opaque"]>;
