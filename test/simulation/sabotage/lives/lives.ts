import { clientLives } from "./clients.ts";
import { controlPlaneLives } from "./control-plane.ts";
import { deviceClaimLives } from "./device-claims.ts";
import { deviceLives } from "./devices.ts";
import { nodeLives } from "./nodes.ts";
import { newerWorkloadLives } from "./newer-workloads.ts";
import { quotaLives } from "./quotas.ts";
import type { ServerLifeName } from "./servers.ts";
import { volumeLives } from "./volumes.ts";
import { workloadLives } from "./workloads.ts";

/** Short lives, by their subjects. Bugs share them, so that few have to be shown to be sound. */
export const lives = {
  ...controlPlaneLives,
  ...nodeLives,
  ...clientLives,
  ...workloadLives,
  ...newerWorkloadLives,
  ...volumeLives,
  ...deviceClaimLives,
  ...quotaLives,
  ...deviceLives,
};

export type LifeName = keyof typeof lives | ServerLifeName;
