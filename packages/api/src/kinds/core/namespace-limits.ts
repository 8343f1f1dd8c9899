/** The kinds that limit a namespace's use of resources, which the package exports together. */
export * from "./limit-range/limit-range.ts";
export * from "./limit-range/limit-range-kind.ts";
export * from "./limit-range/limit-range-type.ts";
export * from "./resource-quota/resource-quota.ts";
export * from "./resource-quota/resource-quota-kind.ts";
export * from "./resource-quota/resource-quota-type.ts";
