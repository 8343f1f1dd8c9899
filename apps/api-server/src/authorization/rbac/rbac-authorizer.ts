import type { AuthorizationAttributes, AuthorizationDecision } from "../authorization.ts";
import { ruleAllows } from "./policy-rule.ts";
import type { RolePolicy } from "./role-policy.ts";

/**
 * Role-based access control: allowed if any rule of any role the user has allows it. Upstream's
 * reasons.
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

/** Joins the names like Go prints an aggregate of errors. */
function formatMissing(missing: readonly string[]): string {
  return missing.length === 1 ? (missing[0] ?? "") : `[${missing.join(", ")}]`;
}
