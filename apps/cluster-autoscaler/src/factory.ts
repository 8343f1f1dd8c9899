export { type ClusterAutoscalerOptions, runClusterAutoscaler } from "./cluster-autoscaler.ts";
export { type AutoscalerOptions, upstreamOptions } from "./model/options.ts";
