import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, kind, required } from "../../../schema/fields.ts";
import { publishedDevicesOf } from "../devices/published-devices.ts";
import { namedInV1, namedInV1beta2, type NamedType } from "../devices/resource-versions.ts";

function resourceSliceOf(named: NamedType) {
  const { ResourceSliceSpec } = publishedDevicesOf(named);
  return kind(named("ResourceSlice"), "A ResourceSlice lists devices that a driver publishes.", () => ({
    metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
    spec: required(2, ResourceSliceSpec, "Devices and the nodes that can use them."),
  }));
}

export const ResourceSlice = resourceSliceOf(namedInV1);
export type ResourceSlice = z.infer<typeof ResourceSlice>;
export const ResourceSliceV1beta2 = resourceSliceOf(namedInV1beta2);
