import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from "../spec/affinity.ts";
import type { Pod } from "../pod.ts";

/** The parts of a node that node selectors read. */
interface SelectableNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Reports whether the pod's nodeSelector and required node affinity allow the node. The scheduler
 * checks this before it binds, and the kubelet before it runs the pod.
 */
export function nodeIsWanted(pod: Pod, node: SelectableNode): boolean {
  const { nodeSelector, affinity } = pod.spec ?? {};
  for (const [key, value] of Object.entries(nodeSelector ?? {})) {
    if (node.labels[key] !== value) return false;
  }
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || selectorMatches(required, node);
}

/** Reports whether one of the terms matches. */
function selectorMatches({ nodeSelectorTerms }: NodeSelector, node: SelectableNode): boolean {
  return nodeSelectorTerms.some((term) => nodeTermMatches(term, node));
}

/** All requirements of the term must hold; a term without requirements matches nothing. */
export function nodeTermMatches(term: NodeSelectorTerm, node: SelectableNode): boolean {
  const { matchExpressions = [], matchFields = [] } = term;
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  return (
    matchExpressions.every((requirement) => nodeRequirementHolds(requirement, node.labels[requirement.key])) &&
    matchFields.every((requirement) =>
      nodeRequirementHolds(requirement, requirement.key === "metadata.name" ? node.name : undefined),
    )
  );
}

/** Reports whether the value of the label or field meets the requirement. */
export function nodeRequirementHolds(
  { operator, values = [] }: NodeSelectorRequirement,
  value: string | undefined,
): boolean {
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
    case "Lt": {
      const [actual, limit] = [integer(value), integer(values[0])];
      if (actual === undefined || limit === undefined || values.length !== 1) return false;
      return operator === "Gt" ? actual > limit : actual < limit;
    }
  }
}

function integer(text: string | undefined): bigint | undefined {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? BigInt(text.replace(/^\+/, "")) : undefined;
}
