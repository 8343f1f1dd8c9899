import type { PodSpec } from "../spec/pod-spec.ts";
import type { PodSchedulingGate, Toleration, TopologySpreadConstraint } from "../spec/scheduling.ts";
import { checkLabel1123, checkLabelValue, checkQualifiedName, checkSubdomain1123 } from "../../../../values/names.ts";
import { sameJson } from "../../../../values/json.ts";
import type { Faults } from "../../../../validation/faults.ts";
import { validateLabelKey, validateLabelSelector } from "../../../../validation/labels.ts";

export const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function validateTolerations(tolerations: readonly Toleration[], path: string, faults: Faults): void {
  for (const [index, toleration] of tolerations.entries()) {
    const at = `${path}[${index}]`;
    const { key = "", value = "", effect = "" } = toleration;
    const operator: string = toleration.operator ?? "";
    if (key !== "") validateLabelKey(key, `${at}.key`, faults);
    else if (operator !== "Exists") {
      const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      faults.invalid(`${at}.operator`, operator, detail);
    }
    if (toleration.tolerationSeconds !== undefined && effect !== "NoExecute") {
      faults.invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    if (operator === "" || operator === "Equal") {
      const problems = checkLabelValue(value);
      if (problems.length > 0) faults.invalid(`${at}.operator`, value, problems.join(";"));
    } else if (operator !== "Exists") faults.notSupported(`${at}.operator`, operator, ["Equal", "Exists"]);
    else if (value !== "") faults.invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'");
    if (effect !== "" && !taintEffects.includes(effect)) faults.notSupported(`${at}.effect`, effect, taintEffects);
  }
}

/** A pod's tolerations cannot be removed; only their seconds may change. */
export function validateKeptTolerations(
  after: readonly Toleration[],
  before: readonly Toleration[],
  faults: Faults,
): void {
  const untimed = after.map((toleration) => ({ ...toleration, tolerationSeconds: undefined }));
  const lost = before.some((old) => !untimed.some((kept) => sameJson(kept, { ...old, tolerationSeconds: undefined })));
  if (lost)
    faults.forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds");
}

/** Scheduling gates can only be removed. */
export function validateRemovedGates(
  after: readonly PodSchedulingGate[],
  before: readonly PodSchedulingGate[],
  faults: Faults,
): void {
  for (const [index, { name }] of after.entries()) {
    if (before.some((gate) => gate.name === name)) continue;
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    faults.forbidden(`spec.schedulingGates[${index}].name`, detail);
  }
}

export function validateGates(spec: PodSpec, path: string, faults: Faults): void {
  const gates = new Set<string>();
  for (const [index, { name }] of (spec.schedulingGates ?? []).entries()) {
    const at = `${path}.schedulingGates[${index}]`;
    faults.invalidEach(at, name, checkQualifiedName(name));
    if (gates.has(name)) faults.duplicate(at, name);
    gates.add(name);
  }
  for (const [index, { conditionType }] of (spec.readinessGates ?? []).entries()) {
    faults.invalidEach(
      `${path}.readinessGates[${index}].conditionType`,
      conditionType,
      checkQualifiedName(conditionType),
    );
  }
}

/** Returns the claims' names, to which containers may refer. */
export function validateResourceClaims(spec: PodSpec, path: string, faults: Faults): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [index, claim] of (spec.resourceClaims ?? []).entries()) {
    const at = `${path}.resourceClaims[${index}]`;
    if (claim.name === "") faults.required(`${at}.name`);
    else if (names.has(claim.name)) faults.duplicate(`${at}.name`, claim.name);
    else faults.invalidEach(`${at}.name`, claim.name, checkLabel1123(claim.name));
    if (claim.name !== "") names.add(claim.name);
    const { resourceClaimName, resourceClaimTemplateName } = claim;
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
      faults.invalid(at, claim, "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified");
    }
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      faults.invalid(at, claim, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    }
    for (const field of ["resourceClaimName", "resourceClaimTemplateName"] as const) {
      const name = claim[field];
      if (name !== undefined) faults.invalidEach(`${at}.${field}`, name, checkSubdomain1123(name));
    }
  }
  return names;
}

const whenUnsatisfiable = ["DoNotSchedule", "ScheduleAnyway"];
const inclusionPolicies = ["Honor", "Ignore"];

export function validateSpread(constraints: readonly TopologySpreadConstraint[], path: string, faults: Faults): void {
  const seen = new Set<string>();
  for (const [index, constraint] of constraints.entries()) {
    const at = `${path}[${index}]`;
    const { maxSkew, minDomains, topologyKey, whenUnsatisfiable: action, labelSelector } = constraint;
    if (maxSkew <= 0) faults.invalid(`${at}.maxSkew`, maxSkew, "must be greater than 0");
    if (topologyKey === "") faults.required(`${at}.topologyKey`, "can not be empty");
    else validateLabelKey(topologyKey, `${at}.topologyKey`, faults);
    if (!whenUnsatisfiable.includes(action)) faults.notSupported(`${at}.whenUnsatisfiable`, action, whenUnsatisfiable);
    const pair = `{${topologyKey}, ${action}}`;
    if (seen.has(pair)) faults.duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, pair);
    seen.add(pair);
    if (minDomains !== undefined && minDomains <= 0)
      faults.invalid(`${at}.minDomains`, minDomains, "must be greater than 0");
    if (minDomains !== undefined && action !== "DoNotSchedule") {
      const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
      faults.invalid(`${at}.minDomains`, minDomains, detail);
    }
    for (const field of ["nodeAffinityPolicy", "nodeTaintsPolicy"] as const) {
      const policy = constraint[field];
      if (policy !== undefined && !inclusionPolicies.includes(policy)) {
        faults.notSupported(`${at}.${field}`, policy, inclusionPolicies);
      }
    }
    validateLabelSelector(labelSelector, `${at}.labelSelector`, faults);
    validateSpreadKeys(constraint, at, faults);
  }
}

function validateSpreadKeys(constraint: TopologySpreadConstraint, at: string, faults: Faults): void {
  const { matchLabelKeys = [], labelSelector } = constraint;
  if (matchLabelKeys.length === 0) return;
  if (labelSelector === undefined) {
    return faults.forbidden(`${at}.matchLabelKeys`, "must not be specified when labelSelector is not set");
  }
  const selected = new Set([
    ...Object.keys(labelSelector.matchLabels ?? {}),
    ...(labelSelector.matchExpressions ?? []).map(({ key }) => key),
  ]);
  for (const [index, key] of matchLabelKeys.entries()) {
    validateLabelKey(key, `${at}.matchLabelKeys[${index}]`, faults);
    if (selected.has(key)) {
      faults.invalid(`${at}.matchLabelKeys[${index}]`, key, "exists in both matchLabelKeys and labelSelector");
    }
  }
}
