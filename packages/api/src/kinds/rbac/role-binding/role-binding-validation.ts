import { checkSubdomain1123 } from "../../../values/names.ts";
import { sameJson } from "../../../values/json.ts";
import type { Faults } from "../../../validation/faults.ts";
import type { ClusterRoleBinding, RoleBinding, Subject } from "./role-binding.ts";

export const rbacGroup = "rbac.authorization.k8s.io";

export function validateRoleBinding(binding: RoleBinding, faults: Faults): void {
  validateReference(binding, { kinds: ["Role", "ClusterRole"], namespaced: true }, faults);
}

export function validateClusterRoleBinding(binding: ClusterRoleBinding, faults: Faults): void {
  validateReference(binding, { kinds: ["ClusterRole"], namespaced: false }, faults);
}

export function validateRoleBindingUpdate(
  after: RoleBinding | ClusterRoleBinding,
  before: RoleBinding | ClusterRoleBinding,
  faults: Faults,
): void {
  // The permission to bind was checked against this role when the binding was created.
  if (!sameJson(after.roleRef, before.roleRef)) faults.invalid("roleRef", after.roleRef, "cannot change roleRef");
}

interface BindingRules {
  /** The kinds of roles to which the binding may refer. */
  kinds: readonly string[];
  namespaced: boolean;
}

function validateReference(
  binding: RoleBinding | ClusterRoleBinding,
  { kinds, namespaced }: BindingRules,
  faults: Faults,
): void {
  const { apiGroup, kind, name } = binding.roleRef;
  if (apiGroup !== rbacGroup) faults.notSupported("roleRef.apiGroup", apiGroup, [rbacGroup]);
  if (!kinds.includes(kind)) faults.notSupported("roleRef.kind", kind, kinds);
  if (name === "") faults.required("roleRef.name");
  for (const [index, subject] of (binding.subjects ?? []).entries())
    validateSubject(subject, { path: `subjects[${index}]`, namespaced }, faults);
}

function validateSubject(subject: Subject, context: { path: string; namespaced: boolean }, faults: Faults): void {
  const { kind, name, namespace = "", apiGroup = "" } = subject;
  const { path } = context;
  if (name === "") faults.required(`${path}.name`);
  if (kind === "ServiceAccount") {
    if (name !== "") faults.invalidEach(`${path}.name`, name, checkSubdomain1123(name));
    if (apiGroup !== "") faults.notSupported(`${path}.apiGroup`, apiGroup, [""]);
    // An account without a namespace is in the binding's namespace, which a cluster-wide binding
    // does not have.
    if (namespace === "" && !context.namespaced) faults.required(`${path}.namespace`);
  } else if (kind === "User" || kind === "Group") {
    if (apiGroup !== rbacGroup) faults.notSupported(`${path}.apiGroup`, apiGroup, [rbacGroup]);
  } else faults.notSupported(`${path}.kind`, kind, ["ServiceAccount", "User", "Group"]);
}
