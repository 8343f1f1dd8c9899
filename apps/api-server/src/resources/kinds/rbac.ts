import {
  ClusterRole,
  ClusterRoleBinding,
  clusterRoleBindings,
  clusterRoles,
  Role,
  RoleBinding,
  roleBindings,
  roles,
} from "@kintsugi/api";
import { defineResource } from "../resource.ts";

const rules = { createOnUpdate: true } as const;

export const roleResource = defineResource<Role>({ type: roles, schema: Role, rules });

export const clusterRoleResource = defineResource<ClusterRole>({ type: clusterRoles, schema: ClusterRole, rules });

export const roleBindingResource = defineResource<RoleBinding>({ type: roleBindings, schema: RoleBinding, rules });

export const clusterRoleBindingResource = defineResource<ClusterRoleBinding>({
  type: clusterRoleBindings,
  schema: ClusterRoleBinding,
  rules,
});
