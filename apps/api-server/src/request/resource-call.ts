import type { ApiRequest } from "../http/api-request.ts";
import type { ResponseForm } from "../http/negotiate.ts";
import type { UserInfo } from "../authorization/authorization.ts";
import type { Resource } from "../resources/resource.ts";
import type { RequestInfo } from "./request-info.ts";

/**
 * A request for a resource after authentication, authorization and negotiation, as verbs receive
 * it.
 */
export interface ResourceCall {
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly user: UserInfo;
  readonly resource: Resource;
  readonly form: ResponseForm;
  /** Messages for `Warning` headers; verbs add to them. */
  readonly warnings: string[];
  /** The time on the monotonic clock until which the client waits for an answer. */
  readonly deadlineMs: number;
  /**
   * Set where the server itself requests objects that it requires. Such a request does not wait for
   * other servers.
   */
  readonly isServers?: true;
}
