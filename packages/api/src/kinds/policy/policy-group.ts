// The kinds of policy that programs use, which the package exports together.

export * from "./eviction/eviction.ts";
export { disruptedSince, withDisruptedPod } from "./pod-disruption-budget/disrupted-pods.ts";
export * from "./pod-disruption-budget/pod-disruption-budget.ts";
