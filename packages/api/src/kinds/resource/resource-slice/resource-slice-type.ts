import type { ResourceType } from "../../../meta/resource-type.ts";
import type { ResourceSlice } from "./resource-slice.ts";

export const resourceSlices: ResourceType<ResourceSlice> = {
  group: "resource.k8s.io",
  version: "v1",
  resource: "resourceslices",
  singular: "resourceslice",
  kind: "ResourceSlice",
  namespaced: false,
  shortNames: [],
  categories: [],
};
