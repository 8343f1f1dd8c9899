import type { AuthorizationAttributes, Authorizer } from "./authorization.ts";
import { deny } from "./denial.ts";

/**
 * The other attributes of a plain resource request: no subresource, path, selectors or namespace.
 */
export const nothingElse = {
  group: "",
  version: "",
  namespace: "",
  subresource: "",
  name: "",
  path: "",
  fieldSelector: "",
  labelSelector: "",
} as const satisfies Partial<AuthorizationAttributes>;

/** @throws ApiError Forbidden, with the same text whether or not the object exists. */
export function assertAllowed(authorizer: Authorizer, attributes: AuthorizationAttributes): void {
  const { allowed, reason } = authorizer.authorize(attributes);
  if (!allowed) throw deny(attributes, reason);
}
