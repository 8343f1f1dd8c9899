import { type NodeSelectorRequirement, nodeRequirementHolds, type NodeSelectorTerm, type Pod } from "@kintsugi/api";
import type { LabelColumn } from "./label-column.ts";
import type { NodeColumns } from "./node-columns.ts";

/** Returns 1 for each row whose node the pod's nodeSelector and required node affinity allow. */
export function wantedRows({ spec }: Pod, columns: NodeColumns): Uint8Array {
  const wanted = new Uint8Array(columns.limit).fill(1);
  for (const [key, value] of Object.entries(spec?.nodeSelector ?? {})) {
    const column = columns.label(key);
    const { numbers } = column;
    const number = column.numberOf(value);
    if (number === 0) return wanted.fill(0);
    for (let row = 0; row < wanted.length; row++) if (numbers[row] !== number) wanted[row] = 0;
  }
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined) return wanted;
  const ofAny = new Uint8Array(columns.limit);
  for (const term of required.nodeSelectorTerms) {
    const ofTerm = rowsOfTerm(term, columns);
    for (let row = 0; row < ofAny.length; row++) if (ofTerm[row] === 1) ofAny[row] = 1;
  }
  for (let row = 0; row < wanted.length; row++) if (ofAny[row] === 0) wanted[row] = 0;
  return wanted;
}

/** Returns 1 for each row on which the whole term holds; an empty term matches nothing. */
export function rowsOfTerm(term: NodeSelectorTerm, columns: NodeColumns): Uint8Array {
  const { matchExpressions = [], matchFields = [] } = term;
  const matching = new Uint8Array(columns.limit);
  if (matchExpressions.length === 0 && matchFields.length === 0) return matching;
  matching.fill(1);
  for (const requirement of matchExpressions) {
    const column = columns.label(requirement.key);
    const { numbers } = column;
    const allowed = allowedNumbers(requirement, column);
    for (let row = 0; row < matching.length; row++) {
      if (allowed[numbers[row] as number] === 0) matching[row] = 0;
    }
  }
  for (const requirement of matchFields) {
    for (let row = 0; row < matching.length; row++) {
      const value = requirement.key === "metadata.name" ? columns.nameOf(row) : undefined;
      if (matching[row] === 1 && !nodeRequirementHolds(requirement, value)) matching[row] = 0;
    }
  }
  return matching;
}

/** Returns 1 for each number of a value for which the requirement holds. */
function allowedNumbers(requirement: NodeSelectorRequirement, column: LabelColumn): Uint8Array {
  const allowed = new Uint8Array(column.limit);
  const { operator, values = [] } = requirement;
  switch (operator) {
    case "In":
      for (const value of values) allowed[column.numberOf(value)] = 1;
      // A value that no node has also sets index 0, which has to remain 0.
      allowed[0] = 0;
      return allowed;
    case "NotIn":
      allowed.fill(1);
      for (const value of values) allowed[column.numberOf(value)] = 0;
      allowed[0] = 1;
      return allowed;
    case "Exists":
      allowed.fill(1);
      allowed[0] = 0;
      return allowed;
    case "DoesNotExist":
      allowed[0] = 1;
      return allowed;
    case "Gt":
    case "Lt":
      for (let number = 0; number < allowed.length; number++)
        allowed[number] = nodeRequirementHolds(requirement, column.textOf(number)) ? 1 : 0;
      return allowed;
  }
}
