import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, required } from "../../../schema/fields.ts";
import { map, text } from "../../../schema/types.ts";

const about = "A VolumeAttributesClass holds attributes of volumes that may change while they are used.";

const fields = () => ({
  metadata: always(1, ObjectMeta, "Metadata holds the object's name, labels and owners."),
  driverName: required(2, text, "The CSI driver with this name understands the parameters."),
  parameters: field(3, map(text), "The driver receives these attributes."),
});

export const VolumeAttributesClass = kind("io.k8s.api.storage.v1.VolumeAttributesClass", about, fields);
export type VolumeAttributesClass = z.infer<typeof VolumeAttributesClass>;

export const VolumeAttributesClassV1beta1 = kind("io.k8s.api.storage.v1beta1.VolumeAttributesClass", about, fields);
export type VolumeAttributesClassV1beta1 = z.infer<typeof VolumeAttributesClassV1beta1>;
