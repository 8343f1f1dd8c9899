export { type ClusterOptions, startCluster, type TestCluster } from "./start-cluster.ts";
export type { TestClock } from "./test-clock.ts";
export type { FaultHandle, TestFaults, TestNodes } from "./test-faults.ts";
export { type ExploreOptions, explore, type ExploreReport, type Operator, type OperatorDeps } from "./explore.ts";
