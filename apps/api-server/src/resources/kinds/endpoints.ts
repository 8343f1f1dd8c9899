import { Endpoints, endpoints } from "@kintsugi/api";
import { defineResource } from "../resource.ts";

export const endpointsResource = defineResource<Endpoints>({
  type: endpoints,
  schema: Endpoints,
  rules: {
    createOnUpdate: true,
    deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  },
});
