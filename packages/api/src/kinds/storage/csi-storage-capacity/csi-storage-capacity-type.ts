import type { ResourceType } from "../../../meta/resource-type.ts";
import type { CSIStorageCapacity } from "./csi-storage-capacity.ts";

export const csiStorageCapacities: ResourceType<CSIStorageCapacity> = {
  group: "storage.k8s.io",
  version: "v1",
  resource: "csistoragecapacities",
  singular: "csistoragecapacity",
  kind: "CSIStorageCapacity",
  namespaced: true,
  shortNames: [],
  categories: [],
};
