export { aCluster, aNode, aPod, type PodDetails, podInfo } from "./builders.ts";
export * from "./devices.ts";
