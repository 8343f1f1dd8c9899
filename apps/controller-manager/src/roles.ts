import * as accessRoles from "./shared/roles/access-roles.ts";
import type { ControllerRole } from "./shared/roles/controller-role.ts";
import * as networkRoles from "./shared/roles/network-roles.ts";
import * as nodeRoles from "./shared/roles/node-roles.ts";
import * as objectRoles from "./shared/roles/object-roles.ts";
import * as storageRoles from "./shared/roles/storage-roles.ts";
import * as workloadRoles from "./shared/roles/workload-roles.ts";

export type { ControllerRole };

/**
 * The roles of all controllers, without importing their code. The API server derives its bootstrap
 * policy from them.
 */
export const controllerRoles: readonly ControllerRole[] = [
  accessRoles,
  networkRoles,
  nodeRoles,
  objectRoles,
  storageRoles,
  workloadRoles,
].flatMap((roles) => Object.values(roles));
