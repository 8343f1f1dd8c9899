import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, embedded, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, text } from "../../../schema/types.ts";
import { requestedDevicesOf } from "../devices/requested-devices.ts";
import { namedInV1, namedInV1beta2, type NamedType } from "../devices/resource-versions.ts";

function deviceClassOf(named: NamedType) {
  const { DeviceSelector, configuration } = requestedDevicesOf(named);
  const DeviceClassConfiguration = object(named("DeviceClassConfiguration"), "Parameters for a driver.", () =>
    embedded(1, configuration()),
  );
  const DeviceClassSpec = object(
    named("DeviceClassSpec"),
    "The devices of the class, and their configuration.",
    () => ({
      selectors: field(
        1,
        atomicList(DeviceSelector),
        "A device of the class fulfils all of these selectors, 32 at most.",
      ),
      config: field(2, atomicList(DeviceClassConfiguration), "Drivers receive these parameters, 32 at most."),
      extendedResourceName: field(
        4,
        text,
        "Pods that request the extended resource with this name get devices of the class.",
      ),
    }),
  );
  return kind(
    named("DeviceClass"),
    "A DeviceClass names devices that claims may request, and how drivers set them up.",
    () => ({
      metadata: always(1, ObjectMeta, "Metadata holds the object's name, labels and owners."),
      spec: required(2, DeviceClassSpec, "The devices of the class, and their configuration."),
    }),
  );
}

export const DeviceClass = deviceClassOf(namedInV1);
export type DeviceClass = z.infer<typeof DeviceClass>;
export const DeviceClassV1beta2 = deviceClassOf(namedInV1beta2);
