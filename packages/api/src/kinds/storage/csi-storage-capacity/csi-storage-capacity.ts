import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, required } from "../../../schema/fields.ts";
import { quantity, text } from "../../../schema/types.ts";

export const CSIStorageCapacity = kind(
  "io.k8s.api.storage.v1.CSIStorageCapacity",
  "A CSIStorageCapacity reports the storage of one StorageClass that a driver can still provision for a set of nodes.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    nodeTopology: field(
      2,
      LabelSelector,
      "Label selector of the nodes that can access the storage. An empty selector matches all nodes, and an unset selector does not match any node.",
    ),
    storageClassName: required(3, text, "Name of the StorageClass of the volumes."),
    capacity: field(4, quantity, "Amount of available storage. Unset if it is unknown."),
    maximumVolumeSize: field(5, quantity, "Maximum size of a single volume."),
  }),
);
export type CSIStorageCapacity = z.infer<typeof CSIStorageCapacity>;
