import type { PolicyRule } from "@kintsugi/api";

/** Verbs that upstream's policy uses together. */
export const read = "get list watch";
export const write = "create delete deletecollection patch update";
export const readWrite = "create delete deletecollection get list patch update watch";
export const readUpdate = "get list update watch";
export const all = "*";

/** A rule as one line: words are separated by spaces, and "core" is the group without a name. */
export function rule(verbs: string, groups: string, resources: string): PolicyRule {
  return { verbs: verbs.split(" "), apiGroups: groups.split(" ").map(groupNamed), resources: resources.split(" ") };
}

/** The same for these objects only. */
export function named(resourceNames: string, general: PolicyRule): PolicyRule {
  return { ...general, resourceNames: resourceNames.split(" ") };
}

export function urlRule(verbs: string, urls: string): PolicyRule {
  return { verbs: verbs.split(" "), nonResourceURLs: urls.split(" ") };
}

/** Recording events, in both of their groups. */
export const eventsRule: PolicyRule = rule("create patch update", "core events.k8s.io", "events");

function groupNamed(group: string): string {
  return group === "core" ? "" : group;
}
