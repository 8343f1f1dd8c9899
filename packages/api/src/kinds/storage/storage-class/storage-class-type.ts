import type { ResourceType } from "../../../meta/resource-type.ts";
import type { StorageClass } from "./storage-class.ts";

export const storageClasses: ResourceType<StorageClass> = {
  group: "storage.k8s.io",
  version: "v1",
  resource: "storageclasses",
  singular: "storageclass",
  kind: "StorageClass",
  namespaced: false,
  shortNames: ["sc"],
  categories: [],
};
