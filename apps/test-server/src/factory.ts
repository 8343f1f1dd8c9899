export { type PublishedKubeconfig, publishKubeconfig } from "./access/published-kubeconfig.ts";
export { type CalledFault, FaultDesk } from "./faults/fault-desk.ts";
export type { ResetReport, StoreMark } from "./marks/marks.ts";
export type { ConditionJudgement } from "./time/condition.ts";
export type { AdvanceReport } from "./time/steering.ts";
export { type TestServerConfig, readConfig } from "./config.ts";
export { startServedCluster, type ServedCluster } from "./served-cluster.ts";
export type { ServedClusterDeps, ServedClusterOptions } from "./served-cluster-options.ts";
