export * from "./lease-candidate/lease-candidate-type.ts";
export * from "./lease/lease-kind.ts";
export * from "./lease/lease-type.ts";
export * from "./lease/lease.ts";
