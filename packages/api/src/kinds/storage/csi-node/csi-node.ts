import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, int32, keyedList, text, zeroCounts } from "../../../schema/types.ts";

export const VolumeNodeResources = object(
  "io.k8s.api.storage.v1.VolumeNodeResources",
  "The resources limit the volumes of a driver on a node.",
  () => ({
    count: field(
      1,
      zeroCounts(int32),
      "The node can have at most this many volumes of the driver; an unset value means no limit.",
    ),
  }),
);

export const CSINodeDriver = object(
  "io.k8s.api.storage.v1.CSINodeDriver",
  "The entry describes one CSI driver on a node.",
  () => ({
    name: required(1, text, "The driver has this name."),
    nodeID: required(2, text, "The driver knows the node by this name."),
    topologyKeys: field(3, atomicList(text), "The driver uses these labels of the node as its topology."),
    allocatable: field(4, VolumeNodeResources, "The node can have this many volumes of the driver."),
  }),
);
export type CSINodeDriver = z.infer<typeof CSINodeDriver>;

export const CSINodeSpec = object(
  "io.k8s.api.storage.v1.CSINodeSpec",
  "The spec lists the CSI drivers of a node.",
  () => ({
    drivers: required(1, keyedList(CSINodeDriver, ["name"]), "These drivers are registered on the node."),
  }),
);
export type CSINodeSpec = z.infer<typeof CSINodeSpec>;

export const CSINode = kind(
  "io.k8s.api.storage.v1.CSINode",
  "A CSINode lists the CSI drivers on the node of the same name.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, labels and owners."),
    spec: required(2, CSINodeSpec, "The spec lists the CSI drivers of the node."),
  }),
);
export type CSINode = z.infer<typeof CSINode>;
