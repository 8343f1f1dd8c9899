/** The kinds of networking.k8s.io, which the package exports together. */
export { ingressClassAnnotation } from "./ingress/ingress-validation.ts";
export * from "./ingress/ingress.ts";
export * from "./ingress/ingress-kind.ts";
export * from "./ingress/ingress-type.ts";
export * from "./ingress-class/ingress-class.ts";
export * from "./ingress-class/ingress-class-kind.ts";
export * from "./ingress-class/ingress-class-type.ts";
export * from "./network-policy/network-policy.ts";
export * from "./network-policy/network-policy-kind.ts";
export * from "./network-policy/network-policy-type.ts";
export * from "./ip-address/ip-address.ts";
export * from "./ip-address/ip-address-kinds.ts";
export * from "./ip-address/ip-address-type.ts";
export * from "./service-cidr/service-cidr.ts";
export * from "./service-cidr/service-cidr-kinds.ts";
export * from "./service-cidr/service-cidr-type.ts";
