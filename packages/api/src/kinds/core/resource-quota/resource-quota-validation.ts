import { checkQualifiedName } from "../../../values/names.ts";
import { parseQuantity } from "../../../values/quantity.ts";
import { isExtendedResource } from "../../../values/resource-names.ts";
import type { Faults } from "../../../validation/faults.ts";
import { validateResourceName } from "../pod/validation/resources.ts";
import type { ResourceQuota, ResourceQuotaSpec, ScopedResourceSelectorRequirement } from "./resource-quota.ts";

const podAmounts = ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];

const wholeNumbers = new Set([
  "pods",
  "services",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);

const standardNames = new Set([
  ...podAmounts,
  ...wholeNumbers,
  "ephemeral-storage",
  "requests.ephemeral-storage",
  "limits.ephemeral-storage",
  "requests.storage",
]);

const podScopeNames: ReadonlySet<string> = new Set(["pods", ...podAmounts]);

/** The standard resources that a quota with a scope can limit, by scope. */
const namesOfScope: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["Terminating", podScopeNames],
  ["NotTerminating", podScopeNames],
  ["BestEffort", new Set(["pods"])],
  ["NotBestEffort", podScopeNames],
  ["PriorityClass", podScopeNames],
  ["CrossNamespacePodAffinity", podScopeNames],
  ["VolumeAttributesClass", new Set(["persistentvolumeclaims", "requests.storage"])],
]);

const conflictingScopes = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

const scopesWithoutValues = new Set([
  "BestEffort",
  "NotBestEffort",
  "Terminating",
  "NotTerminating",
  "CrossNamespacePodAffinity",
]);

/** The rules follow ValidateResourceQuota in pkg/apis/core/validation. */
export function validateResourceQuota({ spec = {}, status }: ResourceQuota, faults: Faults): void {
  validateAmounts(spec.hard, "spec.hard", faults);
  validateScopes(spec, faults);
  validateScopeSelector(spec, faults);
  validateResourceQuotaStatus({ status }, faults);
}

export function validateResourceQuotaStatus({ status }: Pick<ResourceQuota, "status">, faults: Faults): void {
  validateAmounts(status?.hard, "status.hard", faults);
  validateAmounts(status?.used, "status.used", faults);
}

/** Upstream selects the counted objects by a quota's scopes, so the scopes are immutable. */
export function validateResourceQuotaUpdate(after: ResourceQuota, before: ResourceQuota, faults: Faults): void {
  const [now, then] = [after, before].map(({ spec }) => new Set(spec?.scopes)) as [Set<string>, Set<string>];
  const same = now.size === then.size && [...now].every((scope) => then.has(scope));
  faults.immutable("spec.scopes", after.spec?.scopes ?? [], same);
}

function validateAmounts(amounts: Readonly<Record<string, string>> | undefined, path: string, faults: Faults): void {
  for (const [name, amount] of Object.entries(amounts ?? {})) {
    const at = `${path}[${name}]`;
    validateResourceName(name, at, faults);
    if (checkQualifiedName(name).length === 0 && !name.includes("/") && !isStandard(name)) {
      faults.invalid(at, name, "must be a standard resource for quota");
    }
    const { nanos } = parseQuantity(amount);
    if (nanos < 0n) faults.invalid(at, amount, "must be greater than or equal to 0");
    if ((wholeNumbers.has(name) || isExtendedResource(name)) && nanos % 1_000_000_000n !== 0n) {
      faults.invalid(at, amount, "must be an integer");
    }
  }
}

function isStandard(name: string): boolean {
  return standardNames.has(name) || name.startsWith("hugepages-") || name.startsWith("requests.hugepages-");
}

function validateScopes(spec: ResourceQuotaSpec, faults: Faults): void {
  const { scopes = [] } = spec;
  for (const scope of scopes) {
    if (!namesOfScope.has(scope)) faults.invalid("spec.scopes", scopes, "unsupported scope");
    validateScopeOfResources(scope, spec, () =>
      faults.invalid("spec.scopes", scopes, "unsupported scope applied to resource"),
    );
  }
  if (hasConflict(scopes)) faults.invalid("spec.scopes", scopes, "conflicting scopes");
}

function validateScopeSelector(spec: ResourceQuotaSpec, faults: Faults): void {
  const path = "spec.scopeSelector.matchExpressions";
  const expressions = spec.scopeSelector?.matchExpressions ?? [];
  for (const expression of expressions) {
    const { scopeName } = expression;
    if (!namesOfScope.has(scopeName)) faults.invalid(`${path}.scopeName`, scopeName, "unsupported scope");
    validateScopeOfResources(scopeName, spec, () =>
      faults.invalid(path, spec.scopeSelector, "unsupported scope applied to resource"),
    );
    validateOperator(expression, path, faults);
  }
  if (hasConflict(expressions.map(({ scopeName }) => scopeName))) {
    faults.invalid(path, spec.scopes ?? [], "conflicting scopes");
  }
}

function validateScopeOfResources(scope: string, { hard = {} }: ResourceQuotaSpec, report: () => void): void {
  const names = namesOfScope.get(scope);
  if (names === undefined) return;
  for (const name of Object.keys(hard)) if (standardNames.has(name) && !names.has(name)) report();
}

function validateOperator(
  { scopeName, operator, values = [] }: ScopedResourceSelectorRequirement,
  path: string,
  faults: Faults,
): void {
  if (scopesWithoutValues.has(scopeName) && operator !== "Exists") {
    faults.invalid(
      `${path}.operator`,
      operator,
      "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
    );
  }
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length > 0) return;
      return faults.required(
        `${path}.values`,
        "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
      );
    case "Exists":
    case "DoesNotExist":
      if (values.length === 0) return;
      return faults.invalid(
        `${path}.values`,
        values,
        "must be no value when `operator` is 'Exists' or 'DoesNotExist' for scope selector",
      );
    default:
      return faults.invalid(`${path}.operator`, operator, "not a valid selector operator");
  }
}

function hasConflict(scopes: readonly string[]): boolean {
  return conflictingScopes.some((pair) => pair.every((scope) => scopes.includes(scope)));
}
