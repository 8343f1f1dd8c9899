export * from "./horizontal-pod-autoscaler-v1/horizontal-pod-autoscaler-v1-kind.ts";
export * from "./horizontal-pod-autoscaler-v1/horizontal-pod-autoscaler-v1-type.ts";
export * from "./horizontal-pod-autoscaler/horizontal-pod-autoscaler-kind.ts";
export * from "./horizontal-pod-autoscaler/horizontal-pod-autoscaler-type.ts";
export * from "./horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
export * from "./horizontal-pod-autoscaler/scaling-metrics.ts";
export * from "./scale/scale-type.ts";
export { validateScale } from "./scale/scale-validation.ts";
export * from "./scale/scale.ts";
