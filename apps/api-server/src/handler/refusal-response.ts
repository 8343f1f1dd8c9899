import { internalError, type Logger } from "@kintsugi/api";
import { encodedAnswer } from "../answers/encoded-answer.ts";
import type { ApiRequest, ApiResponse } from "../http/api-request.ts";
import { encodingOf, type Encodings } from "../http/negotiate.ts";
import { errorResponse, toApiError } from "../http/status.ts";
import type { RequestInfo } from "../request/request-info.ts";

/** Returns the response to a request that failed. An unexpected error is logged. */
export function refusalResponse(
  deps: { log: Logger; encodings: Encodings },
  error: unknown,
  { request, info }: { request: ApiRequest; info: RequestInfo | undefined },
): ApiResponse {
  const known = toApiError(error);
  if (known !== undefined) return encodedRefusal(deps, errorResponse(known), request);
  deps.log.error("request failed", { verb: info?.verb, path: info?.path, error });
  return encodedRefusal(deps, errorResponse(internalError("internal error; see the server's log", error)), request);
}

/** A rejection is a Status, which has the same form for every kind of request. */
export function encodedRefusal(
  { encodings }: { encodings: Encodings },
  refusal: ApiResponse,
  { headers }: ApiRequest,
): ApiResponse {
  return encodedAnswer(refusal, encodingOf(headers["accept"], encodings.offers.posted), () => undefined);
}
