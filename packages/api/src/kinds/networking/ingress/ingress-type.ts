import type { ResourceType } from "../../../meta/resource-type.ts";
import type { Ingress } from "./ingress.ts";

export const ingresses: ResourceType<Ingress> = {
  group: "networking.k8s.io",
  version: "v1",
  resource: "ingresses",
  singular: "ingress",
  kind: "Ingress",
  namespaced: true,
  shortNames: ["ing"],
  categories: [],
};
