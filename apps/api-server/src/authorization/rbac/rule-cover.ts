import type { PolicyRule } from "@kintsugi/api";
import { urlMatches } from "./policy-rule.ts";

/**
 * Limit of the single rights into which a role is split when it is checked for escalation. A role
 * is at most 3 MiB, but its lists multiply; upstream's largest roles have about 500.
 */
export const singleRightsMax = 20_000;

/**
 * Returns the rights in `wanted` that `held` does not cover; undefined when there are too many
 * rights to compare.
 */
export function findMissingRights(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): PolicyRule[] | undefined {
  if (wanted.reduce((sum, rule) => sum + countRights(rule), 0) > singleRightsMax) {
    return undefined;
  }
  return wanted.flatMap(breakDown).filter((right) => !held.some((rule) => covers(rule, right)));
}

function countRights({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number {
  const names = Math.max(1, resourceNames?.length ?? 0);
  const resourceRights = (apiGroups?.length ?? 0) * (resources?.length ?? 0) * names;
  return verbs.length * (resourceRights + (nonResourceURLs?.length ?? 0));
}

/** One rule for each verb on each resource or URL. */
function breakDown(rule: PolicyRule): PolicyRule[] {
  const names = rule.resourceNames ?? [];
  const forResources = (rule.apiGroups ?? []).flatMap((group) =>
    (rule.resources ?? []).flatMap((resource) =>
      rule.verbs.flatMap((verb): PolicyRule[] => {
        const right = { apiGroups: [group], resources: [resource], verbs: [verb] };
        return names.length === 0 ? [right] : names.map((name) => ({ ...right, resourceNames: [name] }));
      }),
    ),
  );
  const forUrls = (rule.nonResourceURLs ?? []).flatMap((url) =>
    rule.verbs.map((verb): PolicyRule => ({ nonResourceURLs: [url], verbs: [verb] })),
  );
  return [...forResources, ...forUrls];
}

/**
 * Reports whether a rule grants a single right. A wildcard in the right is only covered by a
 * wildcard.
 */
function covers(rule: PolicyRule, right: PolicyRule): boolean {
  if (!coversEvery(rule.verbs, right.verbs)) {
    return false;
  }
  const url = right.nonResourceURLs?.[0];
  if (url !== undefined) {
    return (rule.nonResourceURLs ?? []).some((allowed) => urlMatches(allowed, url));
  }
  const names = rule.resourceNames ?? [];
  const name = right.resourceNames?.[0];
  return (
    coversEvery(rule.apiGroups, right.apiGroups) &&
    coversResource(rule.resources ?? [], right.resources?.[0] ?? "") &&
    (names.length === 0 || (name !== undefined && names.includes(name)))
  );
}

function coversEvery(allowed: readonly string[] | undefined, wanted: readonly string[] | undefined): boolean {
  return (wanted ?? []).every((value) => allowed?.includes("*") === true || allowed?.includes(value) === true);
}

function coversResource(allowed: readonly string[], wanted: string): boolean {
  const slash = wanted.indexOf("/");
  return (
    allowed.includes("*") ||
    allowed.includes(wanted) ||
    (slash >= 0 && allowed.includes(`*/${wanted.slice(slash + 1)}`))
  );
}

/**
 * Writes a missing right as upstream does: `{APIGroups:["apps"], Resources:["deployments"],
 * Verbs:["get"]}`.
 */
export function formatRule(rule: PolicyRule): string {
  const parts = (
    [
      ["APIGroups", rule.apiGroups],
      ["Resources", rule.resources],
      ["NonResourceURLs", rule.nonResourceURLs],
      ["ResourceNames", rule.resourceNames],
      ["Verbs", rule.verbs],
    ] as const
  ).flatMap(([name, values]) => (values === undefined || values.length === 0 ? [] : [`${name}:${formatList(values)}`]));
  return `{${parts.join(", ")}}`;
}

export function formatList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(" ")}]`;
}

/** Joins single rights on the same resource again, so that the rejection is readable. */
export function compactRights(rights: readonly PolicyRule[]): PolicyRule[] {
  const joined = new Map<string, PolicyRule>();
  for (const right of rights) {
    const { verbs, ...target } = right;
    const key = JSON.stringify(target);
    joined.set(key, { ...target, verbs: [...(joined.get(key)?.verbs ?? []), ...verbs] });
  }
  return [...joined.values()];
}
