import { sameJson } from "../../../values/json.ts";
import { checkQualifiedName } from "../../../values/names.ts";
import type { Faults } from "../../../validation/faults.ts";
import { validateParameters, validateProvisioner } from "../parameters.ts";
import type { StorageClass, TopologySelectorTerm } from "./storage-class.ts";

const reclaimPolicies = ["Delete", "Retain"];
const bindingModes = ["Immediate", "WaitForFirstConsumer"];

export function validateStorageClass(storageClass: StorageClass, faults: Faults): void {
  const { provisioner, parameters = {}, reclaimPolicy = "", volumeBindingMode } = storageClass;
  validateProvisioner(provisioner, "provisioner", faults);
  validateParameters(parameters, { allowEmpty: true }, faults);
  if (reclaimPolicy !== "" && !reclaimPolicies.includes(reclaimPolicy)) {
    faults.notSupported("reclaimPolicy", reclaimPolicy, reclaimPolicies);
  }
  if (volumeBindingMode === undefined) faults.required("volumeBindingMode");
  else if (!bindingModes.includes(volumeBindingMode)) {
    faults.notSupported("volumeBindingMode", volumeBindingMode, bindingModes);
  }
  validateTopologies(storageClass.allowedTopologies ?? [], faults);
}

function validateTopologies(terms: readonly TopologySelectorTerm[], faults: Faults): void {
  for (const [index, term] of terms.entries()) {
    const path = `allowedTopologies[${index}]`;
    validateTerm(term, path, faults);
    const repeated = terms.slice(0, index).some((earlier) => sameJson(asSets(earlier), asSets(term)));
    if (repeated) faults.duplicate(`${path}.matchLabelExpressions`, "");
  }
}

function asSets({ matchLabelExpressions = [] }: TopologySelectorTerm): Record<string, string[]> {
  return Object.fromEntries(matchLabelExpressions.map(({ key, values }) => [key, values.toSorted()]));
}

function validateTerm({ matchLabelExpressions = [] }: TopologySelectorTerm, path: string, faults: Faults): void {
  const keys = new Set<string>();
  for (const [index, { key, values }] of matchLabelExpressions.entries()) {
    const at = `${path}.matchLabelExpressions[${index}]`;
    if (values.length === 0) faults.required(`${at}.values`);
    for (const [place, value] of values.entries()) {
      if (values.indexOf(value) < place) faults.duplicate(`${at}.values[${place}]`, value);
    }
    faults.invalidEach(`${at}.key`, key, checkQualifiedName(key));
    if (keys.has(key)) faults.duplicate(`${at}.key`, key);
    keys.add(key);
  }
}

export function validateStorageClassUpdate(after: StorageClass, before: StorageClass, faults: Faults): void {
  if (!sameJson(after.parameters ?? {}, before.parameters ?? {})) {
    faults.forbidden("parameters", "updates to parameters are forbidden.");
  }
  if (after.provisioner !== before.provisioner) {
    faults.forbidden("provisioner", "updates to provisioner are forbidden.");
  }
  if (after.reclaimPolicy !== before.reclaimPolicy) {
    faults.forbidden("reclaimPolicy", "updates to reclaimPolicy are forbidden.");
  }
  const { volumeBindingMode: mode } = after;
  faults.immutable("volumeBindingMode", mode, mode === before.volumeBindingMode);
}
