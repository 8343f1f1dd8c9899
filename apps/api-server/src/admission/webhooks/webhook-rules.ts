import { matchesLabels, namespaces, notFound, type ResourceType, type RuleWithOperations } from "@kintsugi/api";
import { decodeEntry } from "../../resources/encoding.ts";
import { storeKey } from "../../resources/keys.ts";
import type { AdmissionRequest } from "../admission.ts";
import type { CompiledWebhook } from "./webhook-directory.ts";

type AskedResource = Pick<ResourceType, "group" | "version" | "resource" | "namespaced">;

/** The parts of a request that rules read. */
interface RuledRequest {
  readonly operation: AdmissionRequest["operation"];
  readonly type: AskedResource;
  readonly subresource: string;
}

/**
 * Kinds that decide about admission are exempt from it, as upstream: a webhook that fails could
 * never be removed otherwise.
 */
const exempt = new Set([
  "validatingwebhookconfigurations",
  "mutatingwebhookconfigurations",
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
]);

export function isExempt({ group, resource }: Pick<ResourceType, "group" | "resource">): boolean {
  return group === "admissionregistration.k8s.io" && exempt.has(resource);
}

/** Upstream's rules.Matcher. */
export function ruleMatches(rule: RuleWithOperations, { operation, type, subresource }: RuledRequest): boolean {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope = "*" } = rule;
  const has = (list: readonly string[], word: string) => list.includes("*") || list.includes(word);
  return (
    has(operations, operation.toUpperCase()) &&
    has(apiGroups, type.group) &&
    has(apiVersions, type.version) &&
    (scope === "*" || (scope === "Namespaced") === type.namespaced) &&
    resources.some((text) => resourceMatches(text, type.resource, subresource))
  );
}

function resourceMatches(text: string, resource: string, subresource: string): boolean {
  const slash = text.indexOf("/");
  const [first, second] = slash < 0 ? [text, ""] : [text.slice(0, slash), text.slice(slash + 1)];
  return (first === "*" || first === resource) && (second === "*" || second === subresource);
}

/**
 * Compares the selectors of a webhook with the labels of the request's namespace and object.
 * @throws ApiError NotFound when the namespace is missing.
 */
export function selectorsMatch(webhook: CompiledWebhook, request: AdmissionRequest): boolean {
  return namespaceMatches(webhook, request) && objectMatches(webhook, request);
}

function namespaceMatches({ namespaceSelector }: CompiledWebhook, request: AdmissionRequest): boolean {
  if (namespaceSelector === undefined) return true;
  const { operation, resource, subresource, namespace, object, reader } = request;
  const { group, resource: plural } = resource.type;
  const isNamespace = group === "" && plural === "namespaces";
  // A Namespace is judged by the labels that it will have.
  if (isNamespace && subresource === "" && (operation === "create" || operation === "update")) {
    return matchesLabels(namespaceSelector, object?.metadata.labels ?? {});
  }
  const name = isNamespace ? request.name : namespace;
  if (name === "") return true;
  const entry = reader.find(storeKey(namespaces, "", name));
  if (entry === undefined) throw notFound(namespaces, name);
  return matchesLabels(namespaceSelector, decodeEntry(entry).metadata.labels ?? {});
}

function objectMatches({ objectSelector }: CompiledWebhook, { object, before }: AdmissionRequest): boolean {
  if (objectSelector === undefined) return true;
  return [object, before].some(
    (each) => each !== undefined && matchesLabels(objectSelector, each.metadata.labels ?? {}),
  );
}
