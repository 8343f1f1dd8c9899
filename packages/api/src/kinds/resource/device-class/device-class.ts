import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, embedded, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, text } from "../../../schema/types.ts";
import { requestedDevicesOf } from "../devices/requested-devices.ts";
import { namedInV1, namedInV1beta2, type NamedType } from "../devices/resource-versions.ts";

function deviceClassOf(named: NamedType) {
  const { DeviceSelector, configuration } = requestedDevicesOf(named);
  const DeviceClassConfiguration = object(
    named("DeviceClassConfiguration"),
    "DeviceClassConfiguration contains parameters for a driver.",
    () => embedded(1, configuration()),
  );
  const DeviceClassSpec = object(named("DeviceClassSpec"), "Devices of a class and their configuration.", () => ({
    selectors: field(
      1,
      atomicList(DeviceSelector),
      "Selectors for devices, at most 32. A device of the class must match every selector.",
    ),
    config: field(2, atomicList(DeviceClassConfiguration), "Parameters for drivers, at most 32."),
    extendedResourceName: field(
      4,
      text,
      "Name of an extended resource. Pods that request the extended resource receive devices of the class.",
    ),
  }));
  return kind(
    named("DeviceClass"),
    "A DeviceClass is a set of devices that claims may request, with configuration for their drivers.",
    () => ({
      metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
      spec: required(2, DeviceClassSpec, "Devices of the class and their configuration."),
    }),
  );
}

export const DeviceClass = deviceClassOf(namedInV1);
export type DeviceClass = z.infer<typeof DeviceClass>;
export const DeviceClassV1beta2 = deviceClassOf(namedInV1beta2);
