import { ApiError, forbidden } from "@kintsugi/api";
import type { AuthorizationAttributes } from "./authorization.ts";

/**
 * Rejects a request that no authorizer allowed, in upstream's words. The text is also sent to
 * browsers, so it is escaped.
 */
export function deny(attributes: AuthorizationAttributes, reason: string): ApiError {
  const message = escapeMarkup(describeDenied(attributes));
  const because = reason === "" ? message : `${message}: ${reason}`;
  const { group, resource, name } = attributes;
  // A non-resource request does not name a resource.
  return resource === ""
    ? new ApiError("Forbidden", `forbidden: ${because}`, { details: {} })
    : forbidden({ group, resource }, name, because);
}

function describeDenied({
  user,
  verb,
  group,
  resource,
  subresource,
  namespace,
  path,
}: AuthorizationAttributes): string {
  const who = `User ${JSON.stringify(user.name)} cannot ${verb}`;
  if (path !== "") {
    return `${who} path ${JSON.stringify(path)}`;
  }
  const what = JSON.stringify(subresource === "" ? resource : `${resource}/${subresource}`);
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  return `${who} resource ${what} in API group ${JSON.stringify(group)} ${where}`;
}

function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
