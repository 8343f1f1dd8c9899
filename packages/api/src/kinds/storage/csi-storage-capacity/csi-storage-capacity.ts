import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, required } from "../../../schema/fields.ts";
import { quantity, text } from "../../../schema/types.ts";

export const CSIStorageCapacity = kind(
  "io.k8s.api.storage.v1.CSIStorageCapacity",
  "A CSIStorageCapacity is what a driver can still provision of one StorageClass for some nodes.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    nodeTopology: field(
      2,
      LabelSelector,
      "Nodes that match can access the storage; an empty selector matches all nodes, an unset one none.",
    ),
    storageClassName: required(3, text, "The capacity is for volumes of the StorageClass with this name."),
    capacity: field(4, quantity, "This much storage is available; an unset value means that none is known."),
    maximumVolumeSize: field(5, quantity, "A single volume can have at most this size."),
  }),
);
export type CSIStorageCapacity = z.infer<typeof CSIStorageCapacity>;
