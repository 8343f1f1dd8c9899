import { type JsonObject, type PolicyRule, sameJson } from "@kintsugi/api";

/** The rules of a SelfSubjectRulesReview, which `kubectl auth can-i --list` prints. */
export interface RulesOfUser {
  readonly resourceRules: JsonObject[];
  readonly nonResourceRules: JsonObject[];
}

/** Lists the rules of a user's roles. */
export function rulesOfRoles(roles: Iterable<{ readonly rules: readonly PolicyRule[] }>): RulesOfUser {
  const rules = [...roles].flatMap((role) => [...role.rules]);
  return {
    resourceRules: rules.flatMap((rule) => ((rule.resources ?? []).length === 0 ? [] : [resourceRuleOf(rule)])),
    nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs = [] }) =>
      nonResourceURLs.length === 0 ? [] : [{ verbs: [...verbs], nonResourceURLs: [...nonResourceURLs] }],
    ),
  };
}

/** Adds the rights of a user who may do everything, regardless of roles. */
export function withEveryRight({ resourceRules, nonResourceRules }: RulesOfUser): RulesOfUser {
  return {
    resourceRules: withFirst({ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }, resourceRules),
    nonResourceRules: withFirst({ verbs: ["*"], nonResourceURLs: ["*"] }, nonResourceRules),
  };
}

/** The role cluster-admin grants the same rights, unless an administrator has changed it. */
function withFirst(everything: JsonObject, rules: readonly JsonObject[]): JsonObject[] {
  return [everything, ...rules.filter((rule) => !sameJson(rule, everything))];
}

function resourceRuleOf({ verbs, apiGroups = [], resources = [], resourceNames = [] }: PolicyRule): JsonObject {
  const rule: JsonObject = { verbs: [...verbs], apiGroups: [...apiGroups], resources: [...resources] };
  return resourceNames.length === 0 ? rule : { ...rule, resourceNames: [...resourceNames] };
}
