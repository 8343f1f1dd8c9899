import { checkPathSegment } from "../../../values/names.ts";
import { defineKind } from "../../define-kind.ts";
import { clusterRoles, roles } from "./role-types.ts";
import { validateClusterRole, validateRole } from "./role-validation.ts";
import { ClusterRole, Role } from "./role.ts";

export const roleKind = defineKind<Role>({
  type: roles,
  schema: Role,
  validation: { checkName: checkPathSegment, validate: validateRole },
  strategy: { createOnUpdate: true },
});

export const clusterRoleKind = defineKind<ClusterRole>({
  type: clusterRoles,
  schema: ClusterRole,
  validation: { checkName: checkPathSegment, validate: validateClusterRole },
  strategy: { createOnUpdate: true },
});
