import { assertAllowed, nothingElse } from "../authorization/index.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import type { ServerContext } from "../server-context.ts";

/**
 * A right to update or patch does not include creates, so a request that creates an object in this
 * way also needs the right to create. @throws ApiError Forbidden
 */
export function assertMayCreate({ authorizer }: ServerContext, { info, user }: ResourceCall): void {
  const { group, version, namespace, resource, subresource, name } = info;
  const what = { group, version, namespace, resource, subresource, name };
  assertAllowed(authorizer, { ...nothingElse, user, verb: "create", ...what });
}
