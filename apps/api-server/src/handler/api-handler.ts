import type { UserInfo } from "../authorization/authorization.ts";
import type { ApiRequest, ApiResponse } from "../http/api-request.ts";
import { compressed } from "../http/compress.ts";
import { parseRequestInfo, type RequestInfo } from "../request/request-info.ts";
import { isLongRunning } from "./long-running.ts";
import { refusalResponse } from "./refusal-response.ts";
import { auditing } from "./stages/auditing.ts";
import { bodyReading } from "./stages/body.ts";
import { fairness } from "./stages/fairness.ts";
import { authentication, authorization, impersonation } from "./stages/identity.ts";
import { routing } from "./stages/routing.ts";
import { type HandlerDeps, joinStages, type RequestStage } from "./stages/stage.ts";

/**
 * The stages of every request, the outermost first (upstream's DefaultBuildHandlerChain). When the
 * headers alone lead to a rejection, the body is not stored.
 */
const stages: readonly RequestStage[] = [
  authentication,
  auditing,
  impersonation,
  authorization,
  bodyReading,
  fairness,
  routing,
];

/** The user of a request before its caller is authenticated. */
const nobody: UserInfo = { name: "", groups: [] };

/** Returns the function that answers every request. Errors become a Status. */
export function createApiHandler(deps: HandlerDeps) {
  const answer = joinStages(stages, deps);
  return async function handle(request: ApiRequest): Promise<ApiResponse> {
    const startMs = deps.clock.monotonicMs();
    let info: RequestInfo | undefined;
    let response: ApiResponse;
    try {
      info = parseRequestInfo(request.method, request.path);
      response = await answer({ request, info, caller: nobody, user: nobody });
    } catch (error) {
      response = refusalResponse(deps, error, { request, info });
    }
    if (info === undefined) return response;
    finish(deps, { info, response, seconds: (deps.clock.monotonicMs() - startMs) / 1000 });
    return isLongRunning(info) || response.isPassedOn ? response : compressed(request, response);
  };
}

function finish(deps: HandlerDeps, done: { info: RequestInfo; response: ApiResponse; seconds: number }): void {
  const { info, response, seconds } = done;
  const { status, body } = response;
  deps.metrics.done(info, { status, bytes: body instanceof Uint8Array ? body.byteLength : undefined, seconds });
  if (response.tunnel !== undefined) {
    response.tunnel.socket.once("close", deps.metrics.longRunning(info));
  }
  if (status !== 200 || !isLongRunning(info) || body instanceof Uint8Array) return;
  response.body = afterwards(body, deps.metrics.longRunning(info));
}

async function* afterwards(body: AsyncIterable<Uint8Array>, end: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    end();
  }
}
