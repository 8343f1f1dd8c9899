import type { FlowNonResourceRule, FlowResourceRule, FlowSchema, FlowSubject } from "@kintsugi/api";
import type { UserInfo } from "../authorization/authorization.ts";
import type { RequestInfo } from "../request/request-info.ts";

/**
 * The order in which schemas are compared with a request. The first schema that matches applies.
 */
export function inMatchingOrder(schemas: readonly FlowSchema[]): FlowSchema[] {
  const precedenceOf = ({ spec }: FlowSchema) => spec?.matchingPrecedence ?? 0;
  const nameOf = ({ metadata }: FlowSchema) => metadata.name ?? "";
  return schemas.toSorted((a, b) => precedenceOf(a) - precedenceOf(b) || (nameOf(a) < nameOf(b) ? -1 : 1));
}

export function matchesFlow({ spec }: FlowSchema, user: UserInfo, info: RequestInfo): boolean {
  return (spec?.rules ?? []).some(({ subjects, resourceRules = [], nonResourceRules = [] }) => {
    const matchesRule = info.isResource
      ? resourceRules.some((rule) => matchesResource(rule, info))
      : nonResourceRules.some((rule) => matchesPath(rule, info));
    return matchesRule && subjects.some((subject) => matchesSubject(subject, user));
  });
}

/** The text that distinguishes the flows of a schema; "" where all its requests form one flow. */
export function distinguisherOf({ spec }: FlowSchema, user: UserInfo, info: RequestInfo): string {
  switch (spec?.distinguisherMethod?.type) {
    case "ByUser":
      return user.name;
    case "ByNamespace":
      return info.namespace;
    default:
      return "";
  }
}

const everything = "*";

function includes(words: readonly string[], word: string): boolean {
  return words.includes(everything) || words.includes(word);
}

function matchesSubject({ kind, user: named, group, serviceAccount }: FlowSubject, user: UserInfo): boolean {
  switch (kind) {
    case "User":
      return named !== undefined && (named.name === everything || named.name === user.name);
    case "Group":
      return group !== undefined && (group.name === everything || user.groups.includes(group.name));
    case "ServiceAccount": {
      if (serviceAccount === undefined) return false;
      const prefix = `system:serviceaccount:${serviceAccount.namespace}:`;
      return serviceAccount.name === everything
        ? user.name.startsWith(prefix)
        : user.name === `${prefix}${serviceAccount.name}`;
    }
    default:
      return false;
  }
}

function matchesResource(rule: FlowResourceRule, info: RequestInfo): boolean {
  const resource = info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`;
  if (!includes(rule.verbs, info.verb) || !includes(rule.apiGroups, info.group)) return false;
  if (!includes(rule.resources, resource)) return false;
  return info.namespace === "" ? rule.clusterScope === true : includes(rule.namespaces ?? [], info.namespace);
}

function matchesPath(rule: FlowNonResourceRule, info: RequestInfo): boolean {
  if (!includes(rule.verbs, info.verb)) return false;
  return rule.nonResourceURLs.some(
    (url) => url === everything || url === info.path || (url.endsWith("/*") && info.path.startsWith(url.slice(0, -1))),
  );
}
