import type { PolicyRule } from "@kintsugi/api";

/** Verbs that upstream's policy uses together. */
export const read = "get list watch";
export const write = "create delete deletecollection patch update";
export const readWrite = "create delete deletecollection get list patch update watch";
export const all = "*";

export function urlRule(verbs: string, urls: string): PolicyRule {
  return { verbs: verbs.split(" "), nonResourceURLs: urls.split(" ") };
}
