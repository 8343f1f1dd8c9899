import type { PolicyRule } from "./role/role.ts";

/** A rule as one line: words are separated by spaces, and "core" is the group without a name. */
export function policyRule(verbs: string, groups: string, resources: string): PolicyRule {
  return { verbs: verbs.split(" "), apiGroups: groups.split(" ").map(groupNamed), resources: resources.split(" ") };
}

/** Restricts a rule to objects with these names. */
export function namedPolicyRule(resourceNames: string, general: PolicyRule): PolicyRule {
  return { ...general, resourceNames: resourceNames.split(" ") };
}

/** Recording events, in both of their groups. */
export const eventsPolicyRule: PolicyRule = policyRule("create patch update", "core events.k8s.io", "events");

function groupNamed(group: string): string {
  return group === "core" ? "" : group;
}
