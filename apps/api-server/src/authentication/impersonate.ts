import { wantedUser, withoutImpersonation } from "./impersonation.ts";
import { assertAllowed, nothingElse } from "../authorization/index.ts";
import type { Authorizer, UserInfo } from "../authorization/authorization.ts";
import type { ApiRequest } from "../http/api-request.ts";

/** The user as whom a request is carried out, and the request as that user would have sent it. */
export interface Acting {
  user: UserInfo;
  request: ApiRequest;
}

/**
 * A caller who wants to act as another user (`kubectl --as`) is taken for that user, if it may
 * impersonate everything that it claims; from then on its own rights do not count.
 * @throws ApiError BadRequest, Forbidden
 */
export function impersonate(authorizer: Authorizer, caller: UserInfo, request: ApiRequest): Acting {
  const wanted = wantedUser(request);
  if (wanted === undefined) return { user: caller, request };
  for (const { group, resource, subresource, namespace, name } of wanted.parts) {
    const what = { group, version: group === "" ? "" : "v1", resource, subresource, namespace, name };
    assertAllowed(authorizer, { ...nothingElse, user: caller, verb: "impersonate", ...what });
  }
  return { user: wanted.user, request: withoutImpersonation(request) };
}
