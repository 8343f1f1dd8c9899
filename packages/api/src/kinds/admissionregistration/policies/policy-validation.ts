import type { Faults } from "../../../validation/faults.ts";
import { validateLabelSelector } from "../../../validation/labels.ts";
import { checkLabel1035, checkPathSegment, checkSubdomain1123 } from "../../../values/names.ts";
import type { MatchCondition } from "../webhooks/webhook.ts";
import { validateMatchConditions } from "../webhooks/match-conditions.ts";
import { supported, validateRule } from "../webhooks/rule-validation.ts";
import type { MatchResources, ParamKind, ParamRef, PolicyVariable } from "./policy-parts.ts";

/** The fields of the spec that both types of policies have. */
interface PolicySpec {
  failurePolicy?: string | undefined;
  paramKind?: ParamKind | undefined;
  matchConstraints?: MatchResources | undefined;
  matchConditions?: readonly MatchCondition[] | undefined;
  variables?: readonly PolicyVariable[] | undefined;
}

/** The rules follow pkg/apis/admissionregistration/validation. */
export function validatePolicySpec(spec: PolicySpec, faults: Faults): void {
  const { failurePolicy, paramKind, matchConstraints } = spec;
  if (failurePolicy === undefined) faults.required("spec.failurePolicy");
  else supported(faults, "spec.failurePolicy", [failurePolicy, ["Fail", "Ignore"]]);
  if (paramKind !== undefined) validateParamKind(paramKind, "spec.paramKind", faults);
  if (matchConstraints === undefined) faults.required("spec.matchConstraints");
  else {
    validateMatchResources(matchConstraints, "spec.matchConstraints", faults);
    // The rules define the types of the expressions, so at least one rule is required.
    if ((matchConstraints.resourceRules ?? []).length === 0) faults.required("spec.matchConstraints.resourceRules");
  }
  validateMatchConditions(spec.matchConditions ?? [], "spec.matchConditions", faults);
  for (const [index, { name, expression }] of (spec.variables ?? []).entries()) {
    const path = `spec.variables[${index}]`;
    if (name.trim() === "") faults.required(`${path}.name`, "name is not specified");
    else if (!isCelIdentifier(name)) faults.invalid(`${path}.name`, name, "name is not a valid CEL identifier");
    if (expression.trim() === "") faults.required(`${path}.expression`, "expression is not specified");
  }
}

/** The reserved words of CEL. */
const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

function isCelIdentifier(name: string): boolean {
  return /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !reserved.has(name);
}

function validateParamKind({ apiVersion = "", kind = "" }: ParamKind, path: string, faults: Faults): void {
  const parts = apiVersion.split("/");
  if (apiVersion === "") faults.required(`${path}.apiVersion`);
  else if (parts.length > 2) {
    faults.invalid(`${path}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  } else {
    const [group, version] = parts.length === 2 ? parts : ["", apiVersion];
    if (group !== undefined && group !== "") {
      const problems = checkSubdomain1123(group);
      if (problems.length > 0) faults.invalid(`${path}.apiVersion`, group, problems.join(","));
    }
    if (version === undefined || version === "") {
      faults.invalid(`${path}.apiVersion`, apiVersion, "version must be specified");
    } else {
      const problems = checkLabel1035(version);
      if (problems.length > 0) faults.invalid(`${path}.apiVersion`, version, problems.join(","));
    }
  }
  if (kind === "") return faults.required(`${path}.kind`);
  const problems = checkLabel1035(kind.toLowerCase());
  if (problems.length === 0) return;
  faults.invalid(`${path}.kind`, kind, `may have mixed case, but should otherwise match: ${problems.join(",")}`);
}

function validateMatchResources(match: MatchResources, path: string, faults: Faults): void {
  const { matchPolicy, namespaceSelector, objectSelector } = match;
  if (matchPolicy === undefined) faults.required(`${path}.matchPolicy`);
  else supported(faults, `${path}.matchPolicy`, [matchPolicy, ["Equivalent", "Exact"]]);
  if (namespaceSelector === undefined) faults.required(`${path}.namespaceSelector`);
  else validateLabelSelector(namespaceSelector, `${path}.namespaceSelector`, faults);
  if (objectSelector === undefined) faults.required(`${path}.objectSelector`);
  else validateLabelSelector(objectSelector, `${path}.objectSelector`, faults);
  for (const list of ["resourceRules", "excludeResourceRules"] as const) {
    for (const [index, rule] of (match[list] ?? []).entries()) {
      const at = `${path}.${list}[${index}]`;
      validateResourceNames(rule.resourceNames ?? [], `${at}.resourceNames`, faults);
      validateRule(rule, at, faults);
    }
  }
}

function validateResourceNames(names: readonly string[], path: string, faults: Faults): void {
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    faults.invalidEach(`${path}[${index}]`, name, checkPathSegment(name));
    if (seen.has(name)) faults.duplicate(`${path}[${index}]`, name);
    seen.add(name);
  }
}

/** The fields of the spec that both types of bindings have. */
interface BindingSpec {
  policyName?: string | undefined;
  paramRef?: ParamRef | undefined;
  matchResources?: MatchResources | undefined;
}

export function validateBindingSpec({ policyName = "", paramRef, matchResources }: BindingSpec, faults: Faults): void {
  if (policyName === "") faults.required("spec.policyName");
  else faults.invalidEach("spec.policyName", policyName, checkSubdomain1123(policyName));
  if (paramRef !== undefined) validateParamRef(paramRef, "spec.paramRef", faults);
  // Upstream's path has the same typo, and users search for upstream's path.
  if (matchResources !== undefined) validateMatchResources(matchResources, "spec.matchResouces", faults);
}

function validateParamRef(ref: ParamRef, path: string, faults: Faults): void {
  const { name = "", selector, parameterNotFoundAction: action } = ref;
  if (name !== "") {
    faults.invalidEach(`${path}.name`, name, checkPathSegment(name));
    if (selector !== undefined) faults.forbidden(`${path}.name`, "name and selector are mutually exclusive");
  }
  if (selector !== undefined) {
    validateLabelSelector(selector, `${path}.selector`, faults);
    if (name !== "") faults.forbidden(`${path}.selector`, "name and selector are mutually exclusive");
  }
  if (name === "" && selector === undefined) faults.required(path, "one of name or selector must be specified");
  faults.oneOf(`${path}.parameterNotFoundAction`, action, ["Deny", "Allow"]);
}
