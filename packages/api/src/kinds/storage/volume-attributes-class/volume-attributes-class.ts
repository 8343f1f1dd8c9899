import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, required } from "../../../schema/fields.ts";
import { map, text } from "../../../schema/types.ts";

const about =
  "A VolumeAttributesClass contains attributes of volumes that can be changed while the volumes are in use.";

const fields = () => ({
  metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
  driverName: required(2, text, "Name of the CSI driver that interprets the parameters."),
  parameters: field(3, map(text), "Parameters that are passed to the driver."),
});

export const VolumeAttributesClass = kind("io.k8s.api.storage.v1.VolumeAttributesClass", about, fields);
export type VolumeAttributesClass = z.infer<typeof VolumeAttributesClass>;

export const VolumeAttributesClassV1beta1 = kind("io.k8s.api.storage.v1beta1.VolumeAttributesClass", about, fields);
export type VolumeAttributesClassV1beta1 = z.infer<typeof VolumeAttributesClassV1beta1>;
