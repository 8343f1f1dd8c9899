import type { UserInfo } from "../authorization/authorization.ts";
import type { RequestInfo } from "../request/request-info.ts";
import type { AuditLevel, AuditPolicy, AuditStage, AuditRule } from "./audit-policy.ts";

/** The parts of a request that are recorded. */
export interface AuditPlan {
  readonly level: Exclude<AuditLevel, "None">;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

/** The part of a request that rules match; an unauthenticated caller has no user. */
export interface AuditSubject {
  readonly user: UserInfo | undefined;
  readonly info: RequestInfo;
}

/**
 * Decides how much of a request is recorded, by the first rule that matches; `undefined` when it is
 * not recorded.
 */
export function planAudit(policy: AuditPolicy, subject: AuditSubject): AuditPlan | undefined {
  const rule = policy.rules.find((each) => matches(each, subject));
  if (rule === undefined || rule.level === "None") return undefined;
  return {
    level: rule.level,
    omitStages: new Set([...(policy.omitStages ?? []), ...(rule.omitStages ?? [])]),
    omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
  };
}

function matches(rule: AuditRule, { user, info }: AuditSubject): boolean {
  const { users = [], userGroups = [], verbs = [], namespaces = [], resources = [], nonResourceURLs = [] } = rule;
  if (users.length > 0 && (user === undefined || !users.includes(user.name))) return false;
  if (userGroups.length > 0 && user?.groups.some((group) => userGroups.includes(group)) !== true) return false;
  if (verbs.length > 0 && !verbs.includes(info.verb)) return false;
  if (namespaces.length > 0 || resources.length > 0) return info.isResource && matchesResource(rule, info);
  if (nonResourceURLs.length > 0) {
    return !info.isResource && nonResourceURLs.some((url) => matchesUrl(url, info.path));
  }
  return true;
}

function matchesUrl(url: string, path: string): boolean {
  return url === path || (url.endsWith("*") && path.startsWith(url.slice(0, -1)));
}

/** The namespace "" represents cluster-scoped objects. */
function matchesResource({ namespaces = [], resources = [] }: AuditRule, info: RequestInfo): boolean {
  if (namespaces.length > 0 && !namespaces.includes(info.namespace)) return false;
  if (resources.length === 0) return true;
  return resources.some((group) => {
    if ((group.group ?? "") !== info.group) return false;
    if ((group.resources ?? []).length === 0) return true;
    const names = group.resourceNames ?? [];
    if (names.length > 0 && !names.includes(info.name)) return false;
    return (group.resources ?? []).some((pattern) => matchesName(pattern, info));
  });
}

/** Forms of a pattern: "pods", "pods/log", "*", any resource with "/scale", and "pods/*". */
function matchesName(pattern: string, { resource, subresource }: RequestInfo): boolean {
  const combined = subresource === "" ? resource : `${resource}/${subresource}`;
  if (pattern === "*" || pattern === combined) return true;
  if (subresource !== "" && pattern === `*/${subresource}`) return true;
  return pattern === `${resource}/*`;
}
