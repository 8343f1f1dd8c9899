import type { Faults } from "../../../validation/faults.ts";
import { checkLabel1123, checkSubdomain1123 } from "../../../values/names.ts";
import { sameJson } from "../../../values/json.ts";
import { mandatoryFlowSchemas } from "../bootstrap-flow-objects.ts";
import type { FlowNonResourceRule, FlowResourceRule, FlowRules, FlowSchema, FlowSubject } from "./flow-schema.ts";

const precedenceMax = 10_000;
const everyName = "*";
const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

/** The rules follow pkg/apis/flowcontrol/validation. */
export function validateFlowSchema({ metadata, spec, status }: FlowSchema, faults: Faults): void {
  const precedence = spec?.matchingPrecedence ?? 0;
  const at = "spec.matchingPrecedence";
  if (precedence <= 0) faults.invalid(at, precedence, "must be a positive value");
  if (precedence > precedenceMax) faults.invalid(at, precedence, `must not be greater than ${precedenceMax}`);
  if (precedence === 1 && metadata.name !== "exempt") {
    faults.invalid(at, precedence, "only the schema named 'exempt' may have matchingPrecedence 1");
  }
  const method = spec?.distinguisherMethod?.type;
  if (method !== undefined && method !== "ByUser" && method !== "ByNamespace") {
    faults.notSupported("spec.distinguisherMethod.type", method, ["ByNamespace", "ByUser"]);
  }
  const level = spec?.priorityLevelConfiguration.name ?? "";
  const levelPath = "spec.priorityLevelConfiguration.name";
  if (level === "") faults.required(levelPath, "must reference a priority level");
  else faults.invalidEach(levelPath, level, checkSubdomain1123(level));
  (spec?.rules ?? []).forEach((rule, index) => {
    const path = `spec.rules[${index}]`;
    if ((rule.resourceRules ?? []).length === 0 && (rule.nonResourceRules ?? []).length === 0) {
      faults.required(path, "at least one of resourceRules and nonResourceRules has to be non-empty");
    }
    validateRules(rule, faults.below(path));
  });
  const fixed = mandatoryFlowSchemas.find((schema) => schema.metadata.name === metadata.name);
  if (fixed !== undefined && !sameJson(spec, fixed.spec)) {
    faults.invalidWhole("spec", `spec of '${metadata.name}' must equal the fixed value`);
  }
  validateFlowConditions(status?.conditions ?? [], faults);
}

/** Validates the conditions of both kinds of flow control. */
export function validateFlowConditions(conditions: readonly { type?: string | undefined }[], faults: Faults): void {
  const seen = new Set<string>();
  conditions.forEach(({ type = "" }, index) => {
    const at = `status.conditions[${index}].type`;
    if (seen.has(type)) faults.duplicate(at, type);
    seen.add(type);
    if (type === "") faults.required(at, "must not be empty");
  });
}

function validateRules({ subjects, resourceRules = [], nonResourceRules = [] }: FlowRules, faults: Faults): void {
  if (subjects.length === 0) faults.required("subjects", "subjects must contain at least one value");
  subjects.forEach((subject, at) => validateSubject(subject, faults.below(`subjects[${at}]`)));
  resourceRules.forEach((one, at) => validateResourceRule(one, faults.below(`resourceRules[${at}]`)));
  nonResourceRules.forEach((one, at) => validateNonResourceRule(one, faults.below(`nonResourceRules[${at}]`)));
}

const subjectFields = { User: "user", Group: "group", ServiceAccount: "serviceAccount" } as const;

function validateSubject(subject: FlowSubject, faults: Faults): void {
  const own = Object.hasOwn(subjectFields, subject.kind)
    ? subjectFields[subject.kind as keyof typeof subjectFields]
    : undefined;
  if (own === undefined) return faults.notSupported("kind", subject.kind, ["Group", "ServiceAccount", "User"]);
  const named = subject[own];
  if (named === undefined) faults.required(own, `${own} is required when subject kind is '${subject.kind}'`);
  else if (named.name === "") faults.required(`${own}.name`);
  for (const [kind, field] of Object.entries(subjectFields)) {
    if (field === own || subject[field] === undefined) continue;
    faults.forbidden(field, `${field} is forbidden when subject kind is not '${kind}'`);
  }
  if (own === "serviceAccount" && subject.serviceAccount !== undefined) {
    const { name, namespace } = subject.serviceAccount;
    if (name !== "" && name !== everyName) faults.invalidEach("serviceAccount.name", name, checkSubdomain1123(name));
    if (namespace === "") faults.required("serviceAccount.namespace", "must specify namespace for service account");
    else faults.invalidEach("serviceAccount.namespace", namespace, checkLabel1123(namespace));
  }
}

function validateResourceRule(rule: FlowResourceRule, faults: Faults): void {
  const { namespaces = [], clusterScope = false } = rule;
  validateVerbs(rule.verbs, faults);
  validateWords({ field: "apiGroups", noun: "api group" }, rule.apiGroups, faults);
  validateWords({ field: "resources", noun: "resource" }, rule.resources, faults);
  if (namespaces.length === 0 && !clusterScope) {
    const because = "resource rules that are not cluster scoped must supply at least one namespace";
    faults.required("namespaces", because);
  } else if (namespaces.includes(everyName)) {
    if (namespaces.length > 1) {
      faults.invalid("namespaces", namespaces, "if '*' is present, must not specify other namespaces");
    }
  } else {
    namespaces.forEach((namespace, index) => {
      const problems = checkLabel1123(namespace).map(
        (problem) => `each member of this list must be '*' or a DNS-1123 label; ${problem}`,
      );
      faults.invalidEach(`namespaces[${index}]`, namespace, problems);
    });
  }
}

function validateWords(list: { field: string; noun: string }, words: readonly string[], faults: Faults): void {
  if (words.length === 0) faults.required(list.field, `resource rules must supply at least one ${list.noun}`);
  else if (words.length > 1 && words.includes(everyName)) {
    faults.invalid(list.field, words, `if '*' is present, must not specify other ${list.noun}s`);
  }
}

function validateVerbs(given: readonly string[], faults: Faults): void {
  if (given.length === 0) faults.required("verbs", "verbs must contain at least one value");
  else if (given.includes(everyName)) {
    if (given.length > 1) faults.invalid("verbs", given, "if '*' is present, must not specify other verbs");
  } else if (given.some((verb) => !verbs.includes(verb))) faults.notSupported("verbs", given, verbs);
}

function validateNonResourceRule({ verbs: given, nonResourceURLs: urls }: FlowNonResourceRule, faults: Faults): void {
  validateVerbs(given, faults);
  const field = "nonResourceURLs";
  if (urls.length === 0) faults.required(field, "nonResourceURLs must contain at least one value");
  else if (urls.includes(everyName)) {
    if (urls.length > 1) faults.invalid(field, urls, "if '*' is present, must not specify other non-resource URLs");
  } else {
    urls.forEach((url, index) => {
      const because = urlFault(url);
      if (because !== undefined) faults.invalid(`${field}[${index}]`, url, because);
    });
  }
}

function urlFault(url: string): string | undefined {
  if (url === "") return "must not be empty";
  if (url === "/") return undefined;
  if (!url.startsWith("/")) return "must start with slash";
  if (url.includes(" ")) return "must not contain white-space";
  if (url.includes("//")) return "must not contain double slash";
  const star = url.indexOf("*");
  if (star >= 0 && (star !== url.length - 1 || !url.endsWith("/*"))) return "wildcard can only do suffix matching";
  return undefined;
}
