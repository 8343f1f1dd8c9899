import type { NodeAffinity, NodeSelectorTerm } from "../../spec/affinity.ts";
import type { PodSpec } from "../../spec/pod-spec.ts";
import { sameJson } from "../../../../../values/json.ts";
import type { Faults } from "../../../../../validation/faults.ts";

/**
 * A pod that waits behind scheduling gates may still narrow its choice of nodes. Returns the spec
 * with the old values of the changeable fields, for the comparison of the other fields.
 */
export function validateGatedChanges(next: PodSpec, previous: PodSpec, faults: Faults): PodSpec {
  validateNodeSelector(next, previous, faults);
  const [after, before] = [next.affinity?.nodeAffinity, previous.affinity?.nodeAffinity];
  if (!sameJson(after, before)) validateNodeAffinity(after, before, faults);
  const affinity = { ...next.affinity, nodeAffinity: before };
  const nothingElse = Object.values(affinity).every((member) => member === undefined);
  return {
    ...next,
    nodeSelector: previous.nodeSelector,
    affinity: nothingElse && previous.affinity === undefined ? undefined : affinity,
  };
}

function validateNodeSelector(next: PodSpec, previous: PodSpec, faults: Faults): void {
  const after = next.nodeSelector ?? {};
  const kept = Object.entries(previous.nodeSelector ?? {}).every(([key, value]) => after[key] === value);
  if (!kept) {
    const detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
    faults.invalid("spec.nodeSelector", next.nodeSelector, detail);
  }
}

const path = "spec.affinity.nodeAffinity";

function validateNodeAffinity(after: NodeAffinity | undefined, before: NodeAffinity | undefined, faults: Faults): void {
  const [next, previous] = [after, before].map((affinity) => affinity?.requiredDuringSchedulingIgnoredDuringExecution);
  if (previous === undefined) return;
  const terms = next?.nodeSelectorTerms ?? [];
  const at = `${path}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
  if (terms.length !== previous.nodeSelectorTerms.length) {
    return faults.invalid(at, terms, "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
  }
  for (const [index, old] of previous.nodeSelectorTerms.entries()) {
    const term = terms[index];
    if (term !== undefined && !narrows(term, old)) {
      faults.invalid(`${at}[${index}]`, term, "only additions are allowed (no mutations or deletions)");
    }
  }
}

/** Reports whether the new term has every requirement of the old term, at the same position. */
function narrows(term: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  return (["matchExpressions", "matchFields"] as const).every((list) =>
    (old[list] ?? []).every((requirement, index) => sameJson(term[list]?.[index], requirement)),
  );
}
