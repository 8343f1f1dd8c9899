import type {
  Affinity,
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from "../spec/affinity.ts";
import { checkLabel1123, checkLabelValue, checkSubdomain1123 } from "../../../../values/names.ts";
import type { Faults } from "../../../../validation/faults.ts";
import { validateLabelKey, validateLabelSelector } from "../../../../validation/labels.ts";

export function validateAffinity(affinity: Affinity, path: string, faults: Faults): void {
  if (affinity.nodeAffinity !== undefined) validateNodeAffinity(affinity.nodeAffinity, `${path}.nodeAffinity`, faults);
  if (affinity.podAffinity !== undefined) validatePodAffinity(affinity.podAffinity, `${path}.podAffinity`, faults);
  if (affinity.podAntiAffinity !== undefined) {
    validatePodAffinity(affinity.podAntiAffinity, `${path}.podAntiAffinity`, faults);
  }
}

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

function validateNodeAffinity(affinity: NodeAffinity, path: string, faults: Faults): void {
  const must = affinity.requiredDuringSchedulingIgnoredDuringExecution;
  if (must !== undefined) validateNodeSelector(must, `${path}.${required}`, faults);
  for (const [index, term] of (affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    const at = `${path}.${preferred}[${index}]`;
    validateWeight(term.weight, at, faults);
    validateNodeTerm(term.preference, { path: `${at}.preference`, lenient: true }, faults);
  }
}

/** Applies to the nodes from which a PersistentVolume can be accessed too. */
export function validateNodeSelector(selector: NodeSelector, path: string, faults: Faults): void {
  const at = `${path}.nodeSelectorTerms`;
  if (selector.nodeSelectorTerms.length === 0) faults.required(at, "must have at least one node selector term");
  for (const [index, term] of selector.nodeSelectorTerms.entries()) {
    validateNodeTerm(term, { path: `${at}[${index}]`, lenient: false }, faults);
  }
}

/**
 * `lenient` allows values that a label cannot have, because such a value only makes a preference
 * ineffective.
 */
function validateNodeTerm(term: NodeSelectorTerm, context: { path: string; lenient: boolean }, faults: Faults): void {
  for (const [index, requirement] of (term.matchExpressions ?? []).entries()) {
    const path = `${context.path}.matchExpressions[${index}]`;
    validateNodeExpression(requirement, path, faults);
    if (context.lenient) continue;
    for (const [place, value] of (requirement.values ?? []).entries()) {
      faults.invalidEach(`${path}.values[${place}]`, value, checkLabelValue(value));
    }
  }
  for (const [index, requirement] of (term.matchFields ?? []).entries()) {
    validateNodeField(requirement, `${context.path}.matchFields[${index}]`, faults);
  }
}

function validateNodeExpression(requirement: NodeSelectorRequirement, path: string, faults: Faults): void {
  const { operator, values = [] } = requirement;
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0)
        faults.required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) {
        faults.forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      }
      break;
    case "Gt":
    case "Lt":
      if (values.length !== 1) {
        faults.required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'");
      }
      break;
    default:
      faults.invalid(`${path}.operator`, operator, "not a valid selector operator");
  }
  validateLabelKey(requirement.key, `${path}.key`, faults);
}

function validateNodeField(
  { key, operator, values = [] }: NodeSelectorRequirement,
  path: string,
  faults: Faults,
): void {
  if (operator !== "In" && operator !== "NotIn")
    faults.invalid(`${path}.operator`, operator, "not a valid selector operator");
  else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    faults.required(`${path}.values`, detail);
  }
  if (key !== "metadata.name") return faults.invalid(`${path}.key`, key, "not a valid field selector key");
  for (const [index, value] of values.entries()) {
    faults.invalidEach(`${path}.values[${index}]`, value, checkSubdomain1123(value));
  }
}

function validatePodAffinity(affinity: PodAffinity, path: string, faults: Faults): void {
  for (const [index, term] of (affinity.requiredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    validatePodTerm(term, `${path}.${required}[${index}]`, faults);
  }
  for (const [index, term] of (affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    const at = `${path}.${preferred}[${index}]`;
    validateWeight(term.weight, at, faults);
    validatePodTerm(term.podAffinityTerm, `${at}.podAffinityTerm`, faults);
  }
}

function validatePodTerm(term: PodAffinityTerm, path: string, faults: Faults): void {
  validateLabelSelector(term.labelSelector, `${path}.labelSelector`, faults);
  validateLabelSelector(term.namespaceSelector, `${path}.namespaceSelector`, faults);
  for (const namespace of term.namespaces ?? []) {
    faults.invalidEach(`${path}.namespace`, namespace, checkLabel1123(namespace));
  }
  validateLabelKeys(term, path, faults);
  if (term.topologyKey === "") faults.required(`${path}.topologyKey`, "can not be empty");
  validateLabelKey(term.topologyKey, `${path}.topologyKey`, faults);
}

/**
 * Keys whose values are taken from the incoming pod need a selector, and a key cannot be both in
 * matchLabelKeys and in mismatchLabelKeys.
 */
function validateLabelKeys(term: PodAffinityTerm, path: string, faults: Faults): void {
  const { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector } = term;
  for (const [field, keys] of [
    ["matchLabelKeys", matchLabelKeys] as const,
    ["mismatchLabelKeys", mismatchLabelKeys] as const,
  ]) {
    if (keys.length > 0 && labelSelector === undefined) {
      faults.forbidden(`${path}.${field}`, "must not be specified when labelSelector is not set");
    }
    for (const [index, key] of keys.entries()) validateLabelKey(key, `${path}.${field}[${index}]`, faults);
  }
  for (const [index, key] of matchLabelKeys.entries()) {
    if (mismatchLabelKeys.includes(key)) {
      faults.invalid(`${path}.matchLabelKeys[${index}]`, key, "exists in both matchLabelKeys and mismatchLabelKeys");
    }
  }
}

function validateWeight(weight: number, path: string, faults: Faults): void {
  if (weight <= 0 || weight > 100) faults.invalid(`${path}.weight`, weight, "must be in the range 1-100");
}
