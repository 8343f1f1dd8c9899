import type { AuthorizationAttributes, AuthorizationDecision } from "../authorization.ts";
import { ruleAllows } from "./policy-rule.ts";
import type { RolePolicy } from "./role-policy.ts";

/**
 * Role-based access control: a request is allowed if any rule of any role of the user allows it.
 * The reasons are upstream's.
 */
export function authorizeByRoles(policy: RolePolicy, attributes: AuthorizationAttributes): AuthorizationDecision {
  const missing = new Set<string>();
  const namespace = attributes.path === "" ? attributes.namespace : "";
  for (const role of policy.rolesOf(attributes.user, namespace)) {
    if (role.missing !== undefined) {
      missing.add(role.missing);
    }
    if (role.rules.some((rule) => ruleAllows(rule, attributes))) {
      return { allowed: true, reason: `RBAC: allowed by ${role.grantedBy}` };
    }
  }
  return { allowed: false, reason: missing.size === 0 ? "" : `RBAC: ${formatMissing([...missing])}` };
}

/** Joins the messages as Go prints an aggregate of errors. */
function formatMissing(missing: readonly string[]): string {
  return missing.length === 1 ? (missing[0] ?? "") : `[${missing.join(", ")}]`;
}
