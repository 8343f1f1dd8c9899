import * as accessRoles from "./access-roles.ts";
import type { ControllerRole } from "./controller-role.ts";
import * as networkRoles from "./network-roles.ts";
import * as nodeRoles from "./node-roles.ts";
import * as objectRoles from "./object-roles.ts";
import * as storageRoles from "./storage-roles.ts";
import * as workloadRoles from "./workload-roles.ts";

/**
 * The roles of all controllers of the controller-manager. The API server derives its bootstrap
 * policy from them, without the code of the controllers.
 */
export const controllerRoles: readonly ControllerRole[] = [
  accessRoles,
  networkRoles,
  nodeRoles,
  objectRoles,
  storageRoles,
  workloadRoles,
].flatMap((roles) => Object.values(roles));
