import type { Faults } from "../../../validation/faults.ts";
import type { RuleWithOperations } from "./webhook.ts";

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const scopes = ["*", "Cluster", "Namespaced"];

/** The rules of webhooks and policies. */
export function validateRule(rule: RuleWithOperations, path: string, faults: Faults): void {
  const { operations: asked = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  nonEmpty(faults, `${path}.operations`, [asked, "operations"]);
  for (const [index, operation] of asked.entries()) {
    supported(faults, `${path}.operations[${index}]`, [operation, operations]);
  }
  nonEmpty(faults, `${path}.apiGroups`, [apiGroups, "API groups"]);
  nonEmpty(faults, `${path}.apiVersions`, [apiVersions, "API versions"]);
  for (const [index, version] of apiVersions.entries()) {
    if (version === "") faults.required(`${path}.apiVersions[${index}]`);
  }
  validateResources(resources, `${path}.resources`, faults);
  supported(faults, `${path}.scope`, [scope, scopes]);
}

/** A list needs an item, and a wildcard must be its only item. */
function nonEmpty(faults: Faults, path: string, [list, noun]: [readonly string[], string]): void {
  if (list.length === 0) faults.required(path);
  if (list.length > 1 && list.includes("*")) {
    faults.invalid(path, list, `if '*' is present, must not specify other ${noun}`);
  }
}

function validateResources(resources: readonly string[], path: string, faults: Faults): void {
  if (resources.length === 0) faults.required(path);
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  let hasPlainResource = false;
  for (const [index, text] of resources.entries()) {
    const at = `${path}[${index}]`;
    if (text === "") {
      faults.required(at);
      continue;
    }
    const slash = text.indexOf("/");
    if (slash < 0) {
      hasPlainResource = text !== "*";
      continue;
    }
    const [resource, subresource] = [text.slice(0, slash), text.slice(slash + 1)];
    if (wholeResources.has(resource)) {
      faults.invalid(at, text, `if '${resource}/*' is present, must not specify ${text}`);
    }
    if (wholeSubresources.has(subresource)) {
      faults.invalid(at, text, `if '*/${subresource}' is present, must not specify ${text}`);
    }
    if (subresource === "*") wholeResources.add(resource);
    if (resource === "*") wholeSubresources.add(subresource);
  }
  if (resources.length > 1 && resources.includes("*/*")) {
    faults.invalid(path, resources, "if '*/*' is present, must not specify other resources");
  }
  if (resources.includes("*") && hasPlainResource) {
    faults.invalid(path, resources, "if '*' is present, must not specify other resources without subresources");
  }
}

/** Reports a word that is not in `words`. */
export function supported(faults: Faults, path: string, [value, words]: [string | undefined, readonly string[]]): void {
  if (value !== undefined && !words.includes(value)) faults.notSupported(path, value, words);
}
