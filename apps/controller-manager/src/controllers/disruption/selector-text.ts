import type { PodDisruptionBudgetSpec } from "@kintsugi/api";

/** A selector as it stands in upstream's events: as Go prints it. */
export function selectorText(selector: PodDisruptionBudgetSpec["selector"]): string {
  if (selector === undefined) return "nil";
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const labels = Object.keys(matchLabels)
    .sort()
    .map((key) => `${key}: ${matchLabels[key]},`);
  const requirements = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${requirements.join("")}},}`;
}
