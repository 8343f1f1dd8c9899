import type { NodeSelectorRequirement, NodeSelectorTerm, Pod } from "@kintsugi/api";

interface Candidate {
  name: string;
  labels: Readonly<Record<string, string>>;
}

/**
 * Reports whether the pod's selectors allow the node: a second implementation of the rules,
 * independent of the scheduler's.
 */
export function podAsksFor(pod: Pod, node: Candidate): boolean {
  const { nodeSelector = {}, affinity } = pod.spec ?? {};
  const isSelected = Object.entries(nodeSelector).every(([key, value]) => node.labels[key] === value);
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return isSelected && (required?.nodeSelectorTerms.some((term) => holdsFor(term, node)) ?? true);
}

function holdsFor({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Candidate): boolean {
  const results = [
    ...matchExpressions.map((term) => isTrueOf(node.labels[term.key], term)),
    ...matchFields.map((term) => isTrueOf(term.key === "metadata.name" ? node.name : undefined, term)),
  ];
  return results.length > 0 && results.every(Boolean);
}

function isTrueOf(value: string | undefined, { operator, values = [] }: NodeSelectorRequirement): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return Number(value) > Number(values[0]);
    case "Lt":
      return Number(value) < Number(values[0]);
  }
}
