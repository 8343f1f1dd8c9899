import type { ClusterRoleBinding, RoleBinding, Subject } from "./role-binding/role-binding.ts";
import type { ClusterRole, PolicyRule, Role } from "./role/role.ts";
import { checkSubdomain1123 } from "../../values/names.ts";
import { sameJson } from "../../values/json.ts";
import type { Faults } from "../../validation/faults.ts";
import { validateLabelSelector } from "../../validation/labels.ts";

export const rbacGroup = "rbac.authorization.k8s.io";

export function validateRole({ rules = [] }: Role, faults: Faults): void {
  for (const [index, rule] of rules.entries())
    validateRule(rule, { path: `rules[${index}]`, namespaced: true }, faults);
}

export function validateClusterRole({ rules = [], aggregationRule }: ClusterRole, faults: Faults): void {
  for (const [index, rule] of rules.entries())
    validateRule(rule, { path: `rules[${index}]`, namespaced: false }, faults);
  if (aggregationRule === undefined) return;
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  const path = "aggregationRule.clusterRoleSelectors";
  if (selectors.length === 0)
    faults.required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil");
  for (const [index, selector] of selectors.entries()) validateLabelSelector(selector, `${path}[${index}]`, faults);
}

function validateRule(rule: PolicyRule, context: { path: string; namespaced: boolean }, faults: Faults): void {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (rule.verbs.length === 0) faults.required(`${context.path}.verbs`, "verbs must contain at least one value");
  if (nonResourceURLs.length > 0) {
    const path = `${context.path}.nonResourceURLs`;
    if (context.namespaced) faults.invalid(path, nonResourceURLs, "namespaced rules cannot apply to non-resource URLs");
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      faults.invalid(path, nonResourceURLs, "rules cannot apply to both regular resources and non-resource URLs");
    }
    return;
  }
  if (apiGroups.length === 0)
    faults.required(`${context.path}.apiGroups`, "resource rules must supply at least one api group");
  if (resources.length === 0)
    faults.required(`${context.path}.resources`, "resource rules must supply at least one resource");
}

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
