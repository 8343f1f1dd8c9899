import type { z } from "zod";
import { embedded, field, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, int64, map, oneOf, quantity, rawObject, text } from "../../../schema/types.ts";
import type { NamedType } from "./resource-versions.ts";

const requestNames =
  "The entry is about the requests, or subrequests as request/subrequest, with these names; the default is all.";

/** The types that claims, templates and classes consist of, under the names of one version. */
// oxlint-disable-next-line max-lines-per-function -- this is a table with one row per field
export function requestedDevicesOf(named: NamedType) {
  const CELDeviceSelector = object(named("CELDeviceSelector"), "The expression selects devices.", () => ({
    expression: required(
      1,
      text,
      "The CEL expression is true for a device that may be taken; it reads device.driver, device.attributes and device.capacity.",
    ),
  }));
  const DeviceSelector = object(named("DeviceSelector"), "The selector has exactly one way to select devices.", () => ({
    cel: field(1, CELDeviceSelector, "The expression selects devices."),
  }));
  const OpaqueDeviceConfiguration = object(
    named("OpaqueDeviceConfiguration"),
    "The parameters are for one driver, which alone understands them.",
    () => ({
      driver: required(1, text, "The driver with this name receives the parameters."),
      parameters: required(2, rawObject, "The parameters are a JSON object of 10 KiB at most."),
    }),
  );
  const configuration = () => ({ opaque: field(1, OpaqueDeviceConfiguration, "The parameters of one driver.") });
  const DeviceToleration = object(
    named("DeviceToleration"),
    "The toleration lets devices with a taint be taken.",
    () => ({
      key: field(1, text, "The taint has this key; the default is any key."),
      operator: field(2, oneOf("Equal", "Exists"), "The operator is Equal, the default, or Exists."),
      value: field(3, text, "The taint has this value; it is empty where the operator is Exists."),
      effect: field(4, text, "The taint has this effect, NoSchedule or NoExecute; the default is any effect."),
      tolerationSeconds: field(
        5,
        int64,
        "A taint with the effect NoExecute is tolerated for this many seconds; the default is forever.",
      ),
    }),
  );
  const CapacityRequirements = object(named("CapacityRequirements"), "A device has to provide these amounts.", () => ({
    requests: field(1, map(quantity), "Each key names a capacity of the device, and the value is the amount."),
  }));
  const selectors = "A device fulfils all of these selectors.";
  const mode = "The mode is ExactCount, the default, or All, which takes all devices of a pool that match.";
  const count = "This many devices are taken in the mode ExactCount; the default is 1.";
  const deviceClass = "The DeviceClass with this name adds its selectors and configuration.";
  const tolerations = "Devices with these taints may be taken too.";
  const capacity = "Each device has to provide these amounts of its capacity.";
  const ExactDeviceRequest = object(named("ExactDeviceRequest"), "The request is for devices of one class.", () => ({
    deviceClassName: required(1, text, deviceClass),
    selectors: field(2, atomicList(DeviceSelector), selectors),
    allocationMode: field(3, text, mode),
    count: field(4, int64, count),
    adminAccess: field(
      5,
      bool,
      "The devices are taken for their administration, also while others use them; only namespaces with a label for it may have this.",
    ),
    tolerations: field(6, atomicList(DeviceToleration), tolerations),
    capacity: field(7, CapacityRequirements, capacity),
  }));
  const DeviceSubRequest = object(named("DeviceSubRequest"), "The subrequest is one of several alternatives.", () => ({
    name: required(1, text, "The name is a DNS label that is unique in the request."),
    deviceClassName: required(2, text, deviceClass),
    selectors: field(3, atomicList(DeviceSelector), selectors),
    allocationMode: field(4, text, mode),
    count: field(5, int64, count),
    tolerations: field(6, atomicList(DeviceToleration), tolerations),
    capacity: field(7, CapacityRequirements, capacity),
  }));
  const DeviceRequest = object(named("DeviceRequest"), "The request is for devices, in one of two forms.", () => ({
    name: required(
      1,
      text,
      "Containers, constraints and configurations use the request by this name, which is a DNS label.",
    ),
    exactly: field(2, ExactDeviceRequest, "The devices that are requested; it excludes firstAvailable."),
    firstAvailable: field(
      3,
      atomicList(DeviceSubRequest),
      "The first of these that can be fulfilled is taken; it excludes exactly.",
    ),
  }));
  const DeviceConstraint = object(
    named("DeviceConstraint"),
    "The devices of several requests have to fit each other.",
    () => ({
      requests: field(1, atomicList(text), requestNames),
      matchAttribute: field(
        2,
        text,
        "All devices have the same value of this attribute, which is named with its domain.",
      ),
      distinctAttribute: field(
        3,
        text,
        "All devices have different values of this attribute, which is named with its domain.",
      ),
    }),
  );
  const DeviceClaimConfiguration = object(named("DeviceClaimConfiguration"), "Parameters for a driver.", () => ({
    requests: field(1, atomicList(text), requestNames),
    ...embedded(2, configuration()),
  }));
  const DeviceClaim = object(named("DeviceClaim"), "The claim is for devices.", () => ({
    requests: field(1, atomicList(DeviceRequest), "All of these requests, 32 at most, have to be fulfilled."),
    constraints: field(2, atomicList(DeviceConstraint), "The devices fulfil all of these constraints, 32 at most."),
    config: field(
      3,
      atomicList(DeviceClaimConfiguration),
      "Drivers receive these parameters, 32 at most; the scheduler does not read them.",
    ),
  }));
  const ResourceClaimSpec = object(
    named("ResourceClaimSpec"),
    "The devices that are wanted; they never change.",
    () => ({
      devices: field(1, DeviceClaim, "The devices that are wanted."),
    }),
  );
  return { DeviceSelector, DeviceToleration, ResourceClaimSpec, configuration, requestNames };
}

type Parts = ReturnType<typeof requestedDevicesOf>;
export type ResourceClaimSpec = z.infer<Parts["ResourceClaimSpec"]>;
export type DeviceClaim = NonNullable<ResourceClaimSpec["devices"]>;
export type DeviceRequest = NonNullable<DeviceClaim["requests"]>[number];
export type DeviceSelector = z.infer<Parts["DeviceSelector"]>;
export type DeviceToleration = z.infer<Parts["DeviceToleration"]>;
export type OpaqueDeviceConfiguration = NonNullable<NonNullable<DeviceClaim["config"]>[number]["opaque"]>;
