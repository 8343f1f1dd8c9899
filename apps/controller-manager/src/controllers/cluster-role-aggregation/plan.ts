import { type ClusterRole, matchesLabels, type PolicyRule, sameJson, toSelector } from "@kintsugi/api";

/**
 * Returns the rules that an aggregated role has to have, in the order of the names of the roles
 * that they come from; undefined when it has them already, or aggregates nothing.
 */
export function planAggregation(role: ClusterRole, all: readonly ClusterRole[]): PolicyRule[] | undefined {
  const selectors = (role.aggregationRule?.clusterRoleSelectors ?? []).map((each) => toSelector(each));
  if (role.aggregationRule === undefined) return undefined;
  const rules: PolicyRule[] = [];
  const seen = new Set<string>();
  for (const source of all.toSorted(byName)) {
    // A role that selected itself would never lose a rule again.
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
