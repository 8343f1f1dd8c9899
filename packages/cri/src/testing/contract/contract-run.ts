import type { ContainerRuntime } from "../../container-runtime.ts";
import type { ContractPods, RuntimeContractSubject } from "./contract-pods.ts";

/** The fixtures that the contract's tests share, available when the first test begins. */
export interface ContractRun {
  readonly subject: RuntimeContractSubject;
  readonly runtime: ContainerRuntime;
  readonly pods: ContractPods;
}

/** An id that is not used by a sandbox or a container. */
export const noId = "0".repeat(64);
/** An image that does not exist, and cannot be pulled. */
export const nowhere = "registry.invalid/none:1";
export const noLimits = { cpuPeriod: 0, cpuQuota: 0, cpuShares: 0, memoryLimitBytes: 0, oomScoreAdj: 0 };
