import { clientRuns } from "./clients.ts";
import { controlPlaneRuns } from "./control-plane.ts";
import { deviceClaimRuns } from "./device-claims.ts";
import { deviceRuns } from "./devices.ts";
import { nodeRuns } from "./nodes.ts";
import { newerWorkloadRuns } from "./newer-workloads.ts";
import { quotaRuns } from "./quotas.ts";
import type { ServerRunName } from "./servers.ts";
import { volumeRuns } from "./volumes.ts";
import { workloadRuns } from "./workloads.ts";

/**
 * Short runs, by their subjects. Bugs share them, so that few runs have to be verified without
 * bugs.
 */
export const runs = {
  ...controlPlaneRuns,
  ...nodeRuns,
  ...clientRuns,
  ...workloadRuns,
  ...newerWorkloadRuns,
  ...volumeRuns,
  ...deviceClaimRuns,
  ...quotaRuns,
  ...deviceRuns,
};

export type RunName = keyof typeof runs | ServerRunName;
