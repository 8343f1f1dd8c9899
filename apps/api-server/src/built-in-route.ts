import type { ResourceType } from "@kintsugi/api";
import type { UserInfo } from "./authorization/authorization.ts";
import type { ApiRequest, ApiResponse } from "./http/api-request.ts";
import type { RequestInfo } from "./request/request-info.ts";

export type Answer = ApiResponse | Promise<ApiResponse>;

export type BuiltInHandler = (request: ApiRequest, info: RequestInfo, user: UserInfo) => Answer;

/**
 * A resource that is answered without being stored: reviews, usage, Kintsugi's own group. The
 * router compares the path with the scope in `type` and the request's verb with `verbs`, so a
 * handler only gets requests for which its caller was authorized.
 */
export interface BuiltInResource {
  readonly type: Pick<ResourceType, "group" | "version" | "resource" | "namespaced">;
  /** The handlers by the verb that is authorized: "create", "get", "list". */
  readonly verbs: Readonly<Partial<Record<string, BuiltInHandler>>>;
}

/**
 * Answers paths that do not name a resource: discovery, health, metrics. `undefined` when the route
 * does not serve the path.
 */
export type PathRoute = (request: ApiRequest, info: RequestInfo, user: UserInfo) => Answer | undefined;
