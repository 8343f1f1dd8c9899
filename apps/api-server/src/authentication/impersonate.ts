import { wantedUser, withoutImpersonation } from "./impersonation.ts";
import { assertAllowed, nothingElse } from "../authorization/index.ts";
import type { Authorizer, UserInfo } from "../authorization/authorization.ts";
import type { ApiRequest } from "../http/api-request.ts";

/** Who a request is carried out as, and the request as they would have sent it. */
export interface Acting {
  user: UserInfo;
  request: ApiRequest;
}

/**
 * A caller who says to be somebody else (`kubectl --as`) is taken for them, if they may impersonate
 * everything that they claim; their own rights count for nothing more. @throws ApiError BadRequest,
 * Forbidden
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
