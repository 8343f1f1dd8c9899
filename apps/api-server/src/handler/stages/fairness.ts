import { onAbort } from "@kintsugi/clock";
import type { FlowControl } from "../../flow-control/flow-control.ts";
import type { ApiResponse } from "../../http/api-request.ts";
import { observedBody } from "../../http/observed-body.ts";
import { errorResponse, toApiError } from "../../http/status.ts";
import { isLongRunning } from "../long-running.ts";
import { encodedRefusal } from "../refusal-response.ts";
import type { HandlerDeps, Next, RequestStage, StagedRequest } from "./stage.ts";

/**
 * Waits for seats by priority and fairness. A watch holds its seats until it has begun. Other
 * streams between clients and pods do not need seats.
 */
export const fairness: RequestStage = (deps, staged, next) => {
  const { info } = staged;
  if (deps.flow === undefined || (isLongRunning(info) && info.verb !== "watch")) return next(staged);
  return inTurn(deps, { staged, flow: deps.flow }, next);
};

async function inTurn(
  deps: HandlerDeps,
  { staged, flow }: { staged: StagedRequest; flow: FlowControl },
  next: Next,
): Promise<ApiResponse> {
  const { request, info, user } = staged;
  const turn = await flow.enter(user, info, () => request.signal);
  if ("refusal" in turn) {
    deps.metrics.refused(info, turn.refusal.code);
    return withHeaders(encodedRefusal(deps, errorResponse(turn.refusal), request), turn.headers);
  }
  let isStreamed = false;
  try {
    const response = await next(staged);
    if (!isLongRunning(info) && !(response.body instanceof Uint8Array)) {
      // A list holds its seats until it has been sent or its client has disconnected.
      isStreamed = true;
      const leave = once(() => turn.leave());
      onAbort(request.signal, leave);
      response.body = observedBody(response.body, { piece: () => {}, end: leave });
    }
    return withHeaders(response, turn.headers);
  } catch (error) {
    const known = toApiError(error);
    if (known === undefined) throw error;
    return withHeaders(encodedRefusal(deps, errorResponse(known), request), turn.headers);
  } finally {
    if (!isStreamed) turn.leave();
  }
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

function withHeaders(response: ApiResponse, headers: Readonly<Record<string, string>>): ApiResponse {
  Object.assign(response.headers, headers);
  return response;
}
