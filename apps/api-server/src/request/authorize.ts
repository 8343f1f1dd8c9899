import { assertAllowed } from "../authorization/index.ts";
import type { AuthorizationAttributes, Authorizer, UserInfo } from "../authorization/authorization.ts";
import type { RequestInfo } from "./request-info.ts";

/** @throws ApiError Forbidden */
export function authorize(authorizer: Authorizer, user: UserInfo, info: RequestInfo): void {
  assertAllowed(authorizer, attributesOf(user, info));
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
