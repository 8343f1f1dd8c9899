import { type ClusterRole, matchesLabels, type PolicyRule, sameJson, toSelector } from "@kintsugi/api";

/**
 * Returns the rules that an aggregated role must have, ordered by the names of the selected roles;
 * undefined when the role has these rules already, or is not aggregated.
 */
export function planAggregation(role: ClusterRole, all: readonly ClusterRole[]): PolicyRule[] | undefined {
  const selectors = (role.aggregationRule?.clusterRoleSelectors ?? []).map((each) => toSelector(each));
  if (role.aggregationRule === undefined) return undefined;
  const rules: PolicyRule[] = [];
  const seen = new Set<string>();
  for (const source of all.toSorted(byName)) {
    // A role that selected itself would never lose a rule.
    if (source.metadata.name === role.metadata.name) continue;
    if (!selectors.some((selector) => matchesLabels(selector, source.metadata.labels))) continue;
    for (const rule of source.rules ?? []) {
      const text = JSON.stringify(rule);
      if (seen.has(text)) continue;
      seen.add(text);
      rules.push(rule);
    }
  }
  return sameJson(rules, role.rules ?? []) ? undefined : rules;
}

function byName(a: ClusterRole, b: ClusterRole): number {
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}
