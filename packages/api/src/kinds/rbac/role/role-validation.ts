import type { Faults } from "../../../validation/faults.ts";
import { validateLabelSelector } from "../../../validation/labels.ts";
import type { ClusterRole, PolicyRule, Role } from "./role.ts";

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
