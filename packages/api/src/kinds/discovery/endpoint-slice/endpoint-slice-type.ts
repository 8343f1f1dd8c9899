import type { ResourceType } from "../../../meta/resource-type.ts";
import type { EndpointSlice } from "./endpoint-slice.ts";

export const endpointSlices: ResourceType<EndpointSlice> = {
  group: "discovery.k8s.io",
  version: "v1",
  resource: "endpointslices",
  singular: "endpointslice",
  kind: "EndpointSlice",
  namespaced: true,
  shortNames: [],
  categories: [],
};
