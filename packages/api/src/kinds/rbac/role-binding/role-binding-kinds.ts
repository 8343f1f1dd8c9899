import { checkPathSegment } from "../../../values/names.ts";
import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, type KindTable, nameColumn, wide } from "../../../table/columns.ts";
import { defineKind } from "../../define-kind.ts";
import { clusterRoleBindings, roleBindings } from "./role-binding-types.ts";
import {
  rbacGroup,
  validateClusterRoleBinding,
  validateRoleBinding,
  validateRoleBindingUpdate,
} from "./role-binding-validation.ts";
import { ClusterRoleBinding, RoleBinding, type Subject } from "./role-binding.ts";

const table: KindTable<RoleBinding | ClusterRoleBinding> = {
  columns: [
    nameColumn,
    column("Role", "Role that the binding grants."),
    ageColumn,
    wide(column("Users", "Users to whom the role is granted.")),
    wide(column("Groups", "Groups to which the role is granted.")),
    wide(column("ServiceAccounts", "ServiceAccounts to which the role is granted.")),
  ],
  cells(binding, nowMs) {
    const subjects = (kind: string, format: (subject: Subject) => string) =>
      (binding.subjects ?? [])
        .filter((subject) => subject.kind === kind)
        .map(format)
        .join(", ");
    return [
      binding.metadata.name ?? "",
      `${binding.roleRef.kind}/${binding.roleRef.name}`,
      formatAge(binding, nowMs),
      subjects("User", ({ name }) => name),
      subjects("Group", ({ name }) => name),
      subjects("ServiceAccount", ({ namespace, name }) => `${namespace ?? ""}/${name}`),
    ];
  },
};

export const roleBindingKind = defineKind<RoleBinding>({
  type: roleBindings,
  schema: RoleBinding,
  defaults: setRoleBindingDefaults,
  validation: { checkName: checkPathSegment, validate: validateRoleBinding, update: validateRoleBindingUpdate },
  strategy: { createOnUpdate: true },
  table,
});

export const clusterRoleBindingKind = defineKind<ClusterRoleBinding>({
  type: clusterRoleBindings,
  schema: ClusterRoleBinding,
  defaults: setRoleBindingDefaults,
  validation: {
    checkName: checkPathSegment,
    validate: validateClusterRoleBinding,
    update: validateRoleBindingUpdate,
  },
  strategy: { createOnUpdate: true },
  table,
});

function setRoleBindingDefaults(binding: RoleBinding | ClusterRoleBinding): void {
  binding.roleRef.apiGroup ||= rbacGroup;
  for (const subject of binding.subjects ?? []) {
    if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ||= rbacGroup;
  }
}
