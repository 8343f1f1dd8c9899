import { stripImpersonation, wantedUser } from "./impersonation-headers.ts";
import { assertAllowed } from "../authorization/index.ts";
import type { Authorizer, UserInfo } from "../authorization/authorization.ts";
import type { ApiRequest } from "../http/api-request.ts";

/**
 * Returns the user with whose rights a request runs. A caller who acts as another user
 * (`kubectl --as`) gets that user's rights if the caller may impersonate every part of the claimed
 * identity. The caller's own rights then no longer apply.
 * @throws ApiError BadRequest, Forbidden
 */
export function impersonate(authorizer: Authorizer, caller: UserInfo, request: ApiRequest): UserInfo {
  const wanted = wantedUser(request);
  if (wanted === undefined) return caller;
  for (const { group, resource, subresource, namespace, name } of wanted.parts) {
    // A literal instead of a spread over these keys, because V8 makes a spread slowly.
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
