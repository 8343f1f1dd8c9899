import type { PlantedBug } from "../planted-bug.ts";
import { apiServerBugs } from "./api-server.ts";
import { clientBugs } from "./client.ts";
import { controllerBugs } from "./controllers.ts";
import { deviceClaimBugs } from "./device-claims.ts";
import { deviceBugs } from "./devices.ts";
import { kubeletBugs } from "./kubelet.ts";
import { newerWorkloadBugs } from "./newer-workloads.ts";
import { quotaBugs } from "./quotas.ts";
import { schedulerBugs } from "./scheduler.ts";
import { serverBugs } from "./servers.ts";
import { storeBugs } from "./store.ts";
import { volumeBugs } from "./volumes.ts";
import { workloadBugs } from "./workloads.ts";

/** Every planted bug. */
export const plantedBugs: readonly PlantedBug[] = [
  ...storeBugs,
  ...apiServerBugs,
  ...clientBugs,
  ...controllerBugs,
  ...schedulerBugs,
  ...kubeletBugs,
  ...workloadBugs,
  ...newerWorkloadBugs,
  ...volumeBugs,
  ...deviceClaimBugs,
  ...quotaBugs,
  ...deviceBugs,
  ...serverBugs,
];
