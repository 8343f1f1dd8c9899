export { type ClusterOptions, type ObjectExplanation, startCluster, type TestCluster } from "./start-cluster.ts";
export { isApiError } from "@kintsugi/api";
export { kindNamed, kinds } from "./kinds.ts";
export type { RunEvent } from "./failure-page.ts";
export type { TestClock } from "./test-clock.ts";
export type { FaultCall, FaultHandle, TestFaults, TestNodes } from "./test-faults.ts";
export {
  type ExploreFailure,
  type ExploreOptions,
  explore,
  type ExploreReport,
  type RunInvariant,
  type Operator,
  type OperatorDeps,
} from "./explore.ts";
