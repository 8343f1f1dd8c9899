import type { MatchResources } from "@kintsugi/api";
import type { Resource } from "../../resources/resource.ts";
import type { AdmissionRequest, AdmissionTarget } from "../admission.ts";
import { candidatesOf, type FindEquivalents } from "../matching/equivalents.ts";
import { type CompiledSelectors, compileSelectors, ruleMatches, selectorsMatch } from "../matching/rules.ts";

/** The requests that a policy or binding selects, with parsed selectors. */
export interface CompiledMatch extends CompiledSelectors {
  readonly match: MatchResources;
}

export function compileMatch(match: MatchResources = {}): CompiledMatch {
  return { match, ...compileSelectors(match) };
}

type Rules = NonNullable<MatchResources["resourceRules"]>;

/**
 * Finds the representation in which the rules match a request; undefined where they do not match.
 * Without rules, every object that the selectors select matches.
 * @throws ApiError NotFound when the request's namespace is missing.
 */
export function findMatch(
  { match, ...selectors }: CompiledMatch,
  request: AdmissionRequest,
  equivalents: FindEquivalents,
): Resource | undefined {
  const candidates = candidatesOf(request, match.matchPolicy, equivalents);
  const found = (rules: Rules) => candidates.find((resource) => anyRuleMatches(rules, resource, request));
  if (found(match.excludeResourceRules ?? []) !== undefined) return undefined;
  const rules = match.resourceRules ?? [];
  const resource = rules.length === 0 ? candidates[0] : found(rules);
  return resource !== undefined && selectorsMatch(selectors, request) ? resource : undefined;
}

function anyRuleMatches(rules: Rules, { type }: Resource, request: AdmissionRequest): boolean {
  const { operation, subresource, name } = request;
  return rules.some((rule) => {
    const { resourceNames = [] } = rule;
    if (resourceNames.length > 0 && !resourceNames.includes(name)) return false;
    return ruleMatches(rule, { operation, type, subresource });
  });
}

/** Reports whether the rules may match, before the request's object is known. */
export function mayMatch({ match }: CompiledMatch, target: AdmissionTarget, equivalents: FindEquivalents): boolean {
  const { operation, subresource, resource } = target;
  return equivalents(resource).some(({ type }) =>
    (match.resourceRules ?? []).some((rule) => ruleMatches(rule, { operation, type, subresource })),
  );
}
