import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { AuditedRequest } from "../../audit/audited-request.ts";
import type { Auditor } from "../../audit/auditor.ts";
import type { TokenAuthenticator } from "../../authentication/authenticate.ts";
import type { Authorizer, UserInfo } from "../../authorization/authorization.ts";
import type { Answer } from "../../built-in-route.ts";
import type { FlowControl } from "../../flow-control/flow-control.ts";
import type { ApiRequest, ApiResponse } from "../../http/api-request.ts";
import type { BodyMemory } from "../../http/bodies/body-memory.ts";
import type { Encodings } from "../../http/negotiate.ts";
import type { RequestInfo } from "../../request/request-info.ts";
import type { Registry } from "../../resources/registry.ts";
import type { InFlightLimit } from "../in-flight.ts";
import type { RequestMetrics } from "../request-metrics.ts";

/** Finds the handler of an authorized request, and calls it. @throws ApiError */
export type Routes = (request: ApiRequest, info: RequestInfo, user: UserInfo) => Answer;

export interface HandlerDeps {
  clock: Clock;
  log: Logger;
  routes: Routes;
  authorizer: Authorizer;
  registry: Pick<Registry, "find">;
  encodings: Encodings;
  tokens: TokenAuthenticator | undefined;
  limit: InFlightLimit;
  /** Assigns seats to requests; without it requests beyond the limit are rejected. */
  flow?: FlowControl | undefined;
  bodies: BodyMemory;
  metrics: RequestMetrics;
  /** Records requests in the audit log; without it requests are not recorded. */
  auditor?: Auditor | undefined;
  requestTimeoutMs: number;
}

/** A request on its way through the stages. A stage sets the fields that it determines. */
export interface StagedRequest {
  request: ApiRequest;
  readonly info: RequestInfo;
  /** The authenticated user; set by `authentication`. */
  caller: UserInfo;
  /** The user whose rights apply; set by `impersonation`, and before that the caller. */
  user: UserInfo;
  /** Set by `auditing` where the request is recorded. */
  audited?: AuditedRequest | undefined;
}

/** Runs the stages that follow. */
export type Next = (staged: StagedRequest) => Promise<ApiResponse>;

/**
 * One stage of every request. It throws an error to reject the request, answers it, or calls
 * `next`. A stage without asynchronous work returns the promise of `next`, so it costs no
 * additional promise.
 */
export type RequestStage = (deps: HandlerDeps, staged: StagedRequest, next: Next) => Promise<ApiResponse>;

/** Joins the stages to one function; the first is the outermost. */
export function joinStages(stages: readonly RequestStage[], deps: HandlerDeps): Next {
  const end: Next = () => Promise.reject(new Error("the last stage answers the request"));
  return stages.reduceRight<Next>((next, stage) => (staged) => stage(deps, staged, next), end);
}
