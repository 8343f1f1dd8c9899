import {
  checkPathSegment,
  ClusterRole,
  ClusterRoleBinding,
  clusterRoleBindings,
  clusterRoles,
  Role,
  RoleBinding,
  roleBindings,
  roles,
  sameJson,
} from "@kintsugi/api";
import { fieldInvalid, type FieldProblem } from "../../http/refusals.ts";
import { defineResource } from "../resource.ts";

/** Names of roles may have colons: "system:node". */
const common = { checkName: checkPathSegment, createOnUpdate: true } as const;

export const roleResource = defineResource<Role>({ type: roles, schema: Role, rules: common });

export const clusterRoleResource = defineResource<ClusterRole>({
  type: clusterRoles,
  schema: ClusterRole,
  rules: common,
});

export const roleBindingResource = defineResource<RoleBinding>({
  type: roleBindings,
  schema: RoleBinding,
  rules: { ...common, validateUpdate: roleRefStays },
});

export const clusterRoleBindingResource = defineResource<ClusterRoleBinding>({
  type: clusterRoleBindings,
  schema: ClusterRoleBinding,
  rules: { ...common, validateUpdate: roleRefStays },
});

/** Who may bind one role must not be able to turn the binding into one of another. */
function roleRefStays(
  object: RoleBinding | ClusterRoleBinding,
  before: RoleBinding | ClusterRoleBinding,
): FieldProblem[] {
  if (sameJson(object.roleRef, before.roleRef)) return [];
  return [fieldInvalid("roleRef", object.roleRef, "cannot change roleRef")];
}
