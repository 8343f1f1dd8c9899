import type { ResourceType } from "../../../meta/resource-type.ts";
import type { IngressClass } from "./ingress-class.ts";

export const ingressClasses: ResourceType<IngressClass> = {
  group: "networking.k8s.io",
  version: "v1",
  resource: "ingressclasses",
  singular: "ingressclass",
  kind: "IngressClass",
  namespaced: false,
  shortNames: [],
  categories: [],
};
