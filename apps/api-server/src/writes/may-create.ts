import { assertAllowed, nothingElse } from "../authorization/index.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import type { ServerContext } from "../server-context.ts";

/** Who may update or patch may not therefore create: where such a request creates, that is asked for too. @throws ApiError Forbidden */
export function assertMayCreate({ authorizer }: ServerContext, { info, user }: ResourceCall): void {
  const { group, version, namespace, resource, subresource, name } = info;
  const what = { group, version, namespace, resource, subresource, name };
  assertAllowed(authorizer, { ...nothingElse, user, verb: "create", ...what });
}
