import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, int32, keyedList, text, zeroCounts } from "../../../schema/types.ts";

export const VolumeNodeResources = object(
  "io.k8s.api.storage.v1.VolumeNodeResources",
  "VolumeNodeResources limits the volumes of a driver on a node.",
  () => ({
    count: field(
      1,
      zeroCounts(int32),
      "Maximum number of the driver's volumes on the node. If unset, there is no limit.",
    ),
  }),
);

export const CSINodeDriver = object(
  "io.k8s.api.storage.v1.CSINodeDriver",
  "CSINodeDriver is one CSI driver on a node.",
  () => ({
    name: required(1, text, "Name of the driver."),
    nodeID: required(2, text, "ID that the driver uses for the node."),
    topologyKeys: field(3, atomicList(text), "Keys of the node labels that the driver uses as its topology."),
    allocatable: field(4, VolumeNodeResources, "Limit on the number of the driver's volumes on the node."),
  }),
);
export type CSINodeDriver = z.infer<typeof CSINodeDriver>;

export const CSINodeSpec = object("io.k8s.api.storage.v1.CSINodeSpec", "CSI drivers of a node.", () => ({
  drivers: required(1, keyedList(CSINodeDriver, ["name"]), "Drivers that are registered on the node."),
}));
export type CSINodeSpec = z.infer<typeof CSINodeSpec>;

export const CSINode = kind(
  "io.k8s.api.storage.v1.CSINode",
  "A CSINode lists the CSI drivers on the node with the same name.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
    spec: required(2, CSINodeSpec, "CSI drivers of the node."),
  }),
);
export type CSINode = z.infer<typeof CSINode>;
