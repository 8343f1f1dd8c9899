import { EndpointSlice, endpointSlices, sameJson } from "@kintsugi/api";
import { defineResource } from "../resource.ts";

export const endpointSliceResource = defineResource<EndpointSlice>({
  type: endpointSlices,
  schema: EndpointSlice,
  rules: {
    prepareForCreate: (slice) => {
      slice.metadata.generation = 1;
    },
    // A slice has no spec: its generation counts changes of what it says.
    prepareForUpdate: (slice, before) => {
      const same = sameJson([slice.endpoints, slice.ports], [before.endpoints, before.ports]);
      slice.metadata.generation = (before.metadata.generation ?? 0) + (same ? 0 : 1);
    },
  },
});
