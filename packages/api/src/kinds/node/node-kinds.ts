/** The kinds of node.k8s.io, which the package exports together. */
export * from "./runtime-class/runtime-class.ts";
export * from "./runtime-class/runtime-class-kind.ts";
export * from "./runtime-class/runtime-class-type.ts";
