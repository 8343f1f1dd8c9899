import type { PolicyRule } from "@kintsugi/api";
import type { AuthorizationAttributes } from "../authorization.ts";

/** The attributes of a request that a rule compares. */
export type RequestedAction = Pick<
  AuthorizationAttributes,
  "verb" | "group" | "resource" | "subresource" | "name" | "path"
>;

/** Reports whether one rule allows the request (plugin/pkg/auth/authorizer/rbac RuleAllows). */
export function ruleAllows(rule: PolicyRule, action: RequestedAction): boolean {
  if (!includesOrAll(rule.verbs, action.verb)) {
    return false;
  }
  if (action.path !== "") {
    return (rule.nonResourceURLs ?? []).some((url) => urlMatches(url, action.path));
  }
  return (
    includesOrAll(rule.apiGroups, action.group) &&
    resourceMatches(rule, action) &&
    resourceNameMatches(rule, action.name)
  );
}

function resourceMatches(rule: PolicyRule, { resource, subresource }: RequestedAction): boolean {
  const combined = subresource === "" ? resource : `${resource}/${subresource}`;
  return (rule.resources ?? []).some(
    (allowed) => allowed === "*" || allowed === combined || (subresource !== "" && allowed === `*/${subresource}`),
  );
}

/**
 * A rule with names does not allow requests without a name, such as a list of all objects or a
 * create.
 */
function resourceNameMatches(rule: PolicyRule, name: string): boolean {
  const names = rule.resourceNames ?? [];
  return names.length === 0 || names.includes(name);
}

/** A trailing `*` represents every continuation. */
export function urlMatches(allowed: string, path: string): boolean {
  return allowed === "*" || allowed === path || (allowed.endsWith("*") && path.startsWith(allowed.replace(/\*+$/, "")));
}

function includesOrAll(allowed: readonly string[] | undefined, wanted: string): boolean {
  return allowed !== undefined && (allowed.includes("*") || allowed.includes(wanted));
}
