import { deny } from "../authorization/index.ts";
import type { AuthorizationAttributes, Authorizer, UserInfo } from "../authorization/authorization.ts";
import type { AuditTrail } from "../http/audit-trail.ts";
import type { RequestInfo } from "./request-info.ts";

/** @throws ApiError Forbidden */
export function authorize(authorizer: Authorizer, user: UserInfo, info: RequestInfo): void {
  authorizeRecorded(authorizer, { user, info, trail: undefined });
}

/** Also records the decision. @throws ApiError Forbidden */
export function authorizeRecorded(
  authorizer: Authorizer,
  { user, info, trail }: { user: UserInfo; info: RequestInfo; trail: AuditTrail | undefined },
): void {
  const attributes = attributesOf(user, info);
  const { allowed, reason } = authorizer.authorize(attributes);
  trail?.annotate("authorization.k8s.io/decision", allowed ? "allow" : "forbid");
  trail?.annotate("authorization.k8s.io/reason", reason);
  if (!allowed) throw deny(attributes, reason);
}

function attributesOf(user: UserInfo, info: RequestInfo): AuthorizationAttributes {
  const { isResource, verb, group, version, namespace, resource, subresource, name, path, query } = info;
  return {
    user,
    verb,
    group,
    version,
    namespace,
    resource,
    subresource,
    name,
    path: isResource ? "" : path,
    fieldSelector: query.get("fieldSelector") ?? "",
    labelSelector: query.get("labelSelector") ?? "",
  };
}
