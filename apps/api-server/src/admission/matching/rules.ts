import {
  type LabelSelector,
  matchesLabels,
  namespaces,
  notFound,
  type ResourceType,
  type RuleWithOperations,
  type Selector,
  toSelector,
} from "@kintsugi/api";
import { decodeEntry } from "../../resources/encoding.ts";
import { storeKey } from "../../resources/keys.ts";
import type { AdmissionRequest } from "../admission.ts";

type RuledResource = Pick<ResourceType, "group" | "version" | "resource" | "namespaced">;

/** The parts of a request that rules read. */
interface RuledRequest {
  readonly operation: AdmissionRequest["operation"];
  readonly type: RuledResource;
  readonly subresource: string;
}

/**
 * Kinds that configure admission are exempt from admission, as in upstream's
 * `IsExemptAdmissionConfigurationResource`. Otherwise a failing webhook could never be removed.
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

/** Selectors of namespaces and objects; absent where they select everything. */
export interface CompiledSelectors {
  readonly namespaceSelector: Selector | undefined;
  readonly objectSelector: Selector | undefined;
}

/** A selector that selects everything is omitted, because no labels need to be looked up for it. */
export function compileSelectors(subject: {
  namespaceSelector?: LabelSelector | undefined;
  objectSelector?: LabelSelector | undefined;
}): CompiledSelectors {
  return {
    namespaceSelector: selectorOf(subject.namespaceSelector),
    objectSelector: selectorOf(subject.objectSelector),
  };
}

function selectorOf(selector: LabelSelector | undefined): Selector | undefined {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return Object.keys(matchLabels).length + matchExpressions.length === 0 ? undefined : toSelector(selector);
}

/**
 * Compares the selectors of a webhook or policy with the labels of the request's namespace and
 * object.
 * @throws ApiError NotFound when the namespace is missing.
 */
export function selectorsMatch(selectors: CompiledSelectors, request: AdmissionRequest): boolean {
  return namespaceMatches(selectors, request) && objectMatches(selectors, request);
}

function namespaceMatches({ namespaceSelector }: CompiledSelectors, request: AdmissionRequest): boolean {
  if (namespaceSelector === undefined) return true;
  const { operation, resource, subresource, namespace, object, reader } = request;
  const { group, resource: plural } = resource.type;
  const isNamespace = group === "" && plural === "namespaces";
  // A Namespace is matched by the labels that it has after the request.
  if (isNamespace && subresource === "" && (operation === "create" || operation === "update")) {
    return matchesLabels(namespaceSelector, object?.metadata.labels ?? {});
  }
  const name = isNamespace ? request.name : namespace;
  if (name === "") return true;
  const entry = reader.find(storeKey(namespaces, "", name));
  if (entry === undefined) throw notFound(namespaces, name);
  return matchesLabels(namespaceSelector, decodeEntry(entry).metadata.labels ?? {});
}

function objectMatches({ objectSelector }: CompiledSelectors, request: AdmissionRequest): boolean {
  if (objectSelector === undefined) return true;
  const { object, before, subresource } = request;
  // The shown object is a Scale, which has no labels.
  if (subresource === "scale") return matchesLabels(objectSelector, {});
  return [object, before].some(
    (each) => each !== undefined && matchesLabels(objectSelector, each.metadata.labels ?? {}),
  );
}
