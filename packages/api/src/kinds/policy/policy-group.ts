export * from "./eviction/eviction-type.ts";
export * from "./eviction/eviction.ts";
export { disruptedSince, withDisruptedPod } from "./pod-disruption-budget/disrupted-pods.ts";
export * from "./pod-disruption-budget/pod-disruption-budget-kind.ts";
export * from "./pod-disruption-budget/pod-disruption-budget-type.ts";
export * from "./pod-disruption-budget/pod-disruption-budget.ts";
