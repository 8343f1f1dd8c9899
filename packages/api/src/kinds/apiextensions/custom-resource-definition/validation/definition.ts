import { checkLabel1035, checkSubdomain1123 } from "../../../../values/names.ts";
import type { Faults } from "../../../../validation/faults.ts";
import { isConditionTrue } from "../../../../meta/conditions.ts";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
} from "../custom-resource-definition.ts";
import { validateApproval, validateApprovalChange } from "./approval.ts";
import { validateConversion } from "./conversion.ts";
import { validateVersion } from "./version.ts";

/** Upstream's rules for every definition; its schemas are checked by the API server. */
export function validateDefinition(definition: CustomResourceDefinition, faults: Faults): void {
  const { metadata, spec, status } = definition;
  const name = `${spec.names.plural}.${spec.group}`;
  if (metadata.name !== name) {
    faults.invalid("metadata.name", metadata.name, 'must be spec.names.plural+"."+spec.group');
  }
  validateSpec(spec, faults);
  if (status?.acceptedNames !== undefined) validateNames(status.acceptedNames, "status.acceptedNames", faults);
  validateStoredVersions(definition, faults);
}

/** The rules for a new definition alone. */
export function validateNewDefinition(definition: CustomResourceDefinition, faults: Faults): void {
  validateDefinition(definition, faults);
  validateApproval(definition, faults);
}

export function validateDefinitionChange(
  after: CustomResourceDefinition,
  before: CustomResourceDefinition,
  faults: Faults,
): void {
  const { spec } = after;
  const old = before.spec;
  if (isConditionTrue(before.status?.conditions, "Established")) {
    faults.immutable("spec.scope", spec.scope, spec.scope === old.scope);
    faults.immutable("spec.names.kind", spec.names.kind, spec.names.kind === old.names.kind);
  }
  faults.immutable("spec.group", spec.group, spec.group === old.group);
  faults.immutable("spec.names.plural", spec.names.plural, spec.names.plural === old.names.plural);
  validateApprovalChange(after, before, faults);
}

function validateSpec(spec: CustomResourceDefinitionSpec, faults: Faults): void {
  const { group, names, scope, versions, preserveUnknownFields } = spec;
  if (group === "") faults.required("spec.group");
  else if (checkSubdomain1123(group).length > 0) {
    faults.invalid("spec.group", group, checkSubdomain1123(group).join(","));
  } else if (!group.includes(".")) {
    faults.invalid("spec.group", group, "should be a domain with at least one dot");
  }
  faults.oneOf("spec.scope", scope, ["Cluster", "Namespaced"]);
  for (const [index, version] of versions.entries()) {
    const path = `spec.versions[${index}]`;
    const problems = checkLabel1035(version.name);
    if (problems.length > 0) faults.invalid(`${path}.name`, version.name, problems.join(","));
    validateVersion(version, path, faults);
  }
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    faults.invalidWhole("spec.versions", "must contain unique version names");
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    faults.invalidWhole("spec.versions", "must have exactly one version marked as storage version");
  }
  for (const name of ["plural", "singular", "kind", "listKind"] as const) {
    if ((names[name] ?? "") === "") faults.required(`spec.names.${name}`);
  }
  validateNames(names, "spec.names", faults);
  if (preserveUnknownFields === true) {
    const why =
      "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
    faults.invalid("spec.preserveUnknownFields", true, why);
  }
  validateConversion(spec.conversion, "spec.conversion", faults);
}

function validateNames(names: CustomResourceDefinitionNames, path: string, faults: Faults): void {
  const { plural, singular = "", kind, listKind = "" } = names;
  for (const [name, value] of Object.entries({ plural, singular })) {
    const problems = value === "" ? [] : checkLabel1035(value);
    if (problems.length > 0) faults.invalid(`${path}.${name}`, value, problems.join(","));
  }
  for (const [name, value] of Object.entries({ kind, listKind })) {
    const problems = value === "" ? [] : checkLabel1035(value.toLowerCase());
    const detail = `may have mixed case, but should otherwise match: ${problems.join(",")}`;
    if (problems.length > 0) faults.invalid(`${path}.${name}`, value, detail);
  }
  for (const list of ["shortNames", "categories"] as const) {
    for (const [index, value] of (names[list] ?? []).entries()) {
      const problems = checkLabel1035(value);
      if (problems.length > 0) faults.invalid(`${path}.${list}[${index}]`, value, problems.join(","));
    }
  }
  // If both names were equal, lists and objects could not be distinguished.
  if (kind !== "" && kind === listKind) {
    faults.invalid(`${path}.listKind`, listKind, "kind and listKind may not be the same");
  }
}

function validateStoredVersions({ spec, status }: CustomResourceDefinition, faults: Faults): void {
  const stored = status?.storedVersions ?? [];
  const path = "status.storedVersions";
  if (stored.length === 0) return faults.invalid(path, stored, "must have at least one stored version");
  for (const { name, storage } of spec.versions) {
    if (storage && !stored.includes(name)) faults.invalid(path, stored, `must have the storage version ${name}`);
  }
  for (const [index, name] of stored.entries()) {
    if (spec.versions.some((version) => version.name === name)) continue;
    const why = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    faults.invalid(`${path}[${index}]`, name, why);
  }
}

/** The rules for a write of the status alone. */
export function validateDefinitionStatus({ status }: CustomResourceDefinition, faults: Faults): void {
  if (status?.acceptedNames !== undefined) validateNames(status.acceptedNames, "status.acceptedNames", faults);
}
