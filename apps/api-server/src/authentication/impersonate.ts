import { stripImpersonation, wantedUser } from "./impersonation.ts";
import { assertAllowed } from "../authorization/index.ts";
import type { Authorizer, UserInfo } from "../authorization/authorization.ts";
import type { ApiRequest } from "../http/api-request.ts";

/**
 * Returns the user as whom a request is carried out. A caller who wants to act as another user
 * (`kubectl --as`) is taken for that user, if it may impersonate everything that it claims; from
 * then on its own rights do not count, and the request is as that user would have sent it.
 * @throws ApiError BadRequest, Forbidden
 */
export function impersonate(authorizer: Authorizer, caller: UserInfo, request: ApiRequest): UserInfo {
  const wanted = wantedUser(request);
  if (wanted === undefined) return caller;
  for (const { group, resource, subresource, namespace, name } of wanted.parts) {
    // A literal and no spread over these keys, which V8 makes slowly.
    assertAllowed(authorizer, {
      user: caller,
      verb: "impersonate",
      group,
      version: group === "" ? "" : "v1",
      resource,
      subresource,
      namespace,
      name,
      path: "",
      fieldSelector: "",
      labelSelector: "",
    });
  }
  stripImpersonation(request);
  return wanted.user;
}
