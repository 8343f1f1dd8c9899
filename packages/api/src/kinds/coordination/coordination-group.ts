/** The kinds of coordination.k8s.io, which the package exports together. */
export * from "./lease/lease-kind.ts";
export * from "./lease/lease-type.ts";
export * from "./lease-candidate/lease-candidate-type.ts";
