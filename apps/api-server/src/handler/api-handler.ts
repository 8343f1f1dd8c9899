import { internalError, type Logger, timedOut } from "@kintsugi/api";
import { type Clock, onAbort } from "@kintsugi/clock";
import type { AuditedRequest } from "../audit/audited-request.ts";
import type { Auditor } from "../audit/auditor.ts";
import { authenticate, type TokenAuthenticator } from "../authentication/authenticate.ts";
import type { Authorizer, UserInfo } from "../authorization/authorization.ts";
import type { Answer } from "../built-in-route.ts";
import type { FlowControl } from "../flow-control/flow-control.ts";
import { compressed } from "../http/compress.ts";
import { observedBody } from "../http/observed-body.ts";
import { parseRequestInfo, type RequestInfo } from "../request/request-info.ts";
import type { Registry } from "../resources/registry.ts";
import type { ApiRequest, ApiResponse } from "../http/api-request.ts";
import { authorizeRecorded } from "../request/authorize.ts";
import type { AuditTrail } from "../http/audit-trail.ts";
import type { BodyMemory } from "../http/bodies/body-memory.ts";
import { impersonate } from "../authentication/impersonate.ts";
import { type InFlightLimit, loadClassOf } from "./in-flight.ts";
import { isLongRunning } from "./long-running.ts";
import type { RequestMetrics } from "./request-metrics.ts";
import { encodedAnswer } from "../answers/encoded-answer.ts";
import { encodingOf, type Encodings } from "../http/negotiate.ts";
import { errorResponse, toApiError } from "../http/status.ts";

/** Finds the handler of an authorized request, and answers by it. @throws ApiError */
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
  /** Gives requests their places; without it those beyond the limit are rejected. */
  flow?: FlowControl | undefined;
  bodies: BodyMemory;
  metrics: RequestMetrics;
  /** Records requests; without it nothing is recorded. */
  auditor?: Auditor | undefined;
}

/**
 * Every request goes through these steps, in this order: read the path, authenticate, record,
 * impersonate, authorize, read the body, limit, route. Refusals become Status. When the headers
 * alone lead to a refusal, no byte of the body is kept.
 */
export function createApiHandler(deps: HandlerDeps, options: { requestTimeoutMs: number }) {
  return async function handle(request: ApiRequest): Promise<ApiResponse> {
    const startMs = deps.clock.monotonicMs();
    let info: RequestInfo | undefined;
    let response: ApiResponse;
    try {
      info = parseRequestInfo(request.method, request.path);
      response = await carryOut(deps, { request, info, timeoutMs: options.requestTimeoutMs });
    } catch (error) {
      response = inForm(deps, refuse(deps, error, info), request);
    }
    if (info === undefined) return response;
    finish(deps, { info, response, seconds: (deps.clock.monotonicMs() - startMs) / 1000 });
    return isLongRunning(info) || response.isPassedOn ? response : compressed(request, response);
  };
}

/** Not async itself: a request without a body to wait for costs one promise less. */
function carryOut(
  deps: HandlerDeps,
  input: { request: ApiRequest; info: RequestInfo; timeoutMs: number },
): Promise<ApiResponse> {
  const { info, request, timeoutMs } = input;
  if (deps.auditor !== undefined) return carryOutAudited(deps, deps.auditor, input);
  const caller = authenticate(request, info.path, deps.tokens);
  request.onCaller?.(caller);
  return actAs(deps, { request, info, timeoutMs, caller });
}

async function carryOutAudited(
  deps: HandlerDeps,
  auditor: Auditor,
  input: { request: ApiRequest; info: RequestInfo; timeoutMs: number },
): Promise<ApiResponse> {
  const { request, info } = input;
  const begun = { request, info, isLongRunning: isLongRunning(info) };
  let caller: UserInfo;
  try {
    caller = authenticate(request, info.path, deps.tokens);
  } catch (error) {
    const known = toApiError(error);
    if (known !== undefined) await auditor.begin({ ...begun, user: undefined })?.unidentified(known);
    throw error;
  }
  request.onCaller?.(caller);
  const audited = auditor.begin({ ...begun, user: caller });
  if (audited === undefined) return actAs(deps, { ...input, caller });
  if (!(await audited.received()) && auditor.isStrict) {
    auditor.requestRejected();
    throw internalError("failed to store audit event");
  }
  let response: ApiResponse;
  try {
    response = await actAs(deps, { ...input, request: withTrail(request, audited), caller, audited });
  } catch (error) {
    if (toApiError(error) === undefined) {
      await audited.panicked(error);
      throw error;
    }
    response = inForm(deps, refuse(deps, error, info), request);
  }
  return audited.answered(response);
}

/** The prototype keeps the getter of `signal` lazy, so the request is not copied. */
function withTrail(request: ApiRequest, trail: AuditTrail): ApiRequest {
  return Object.create(request, { trail: { value: trail, enumerable: true } }) as ApiRequest;
}

interface CalledRequest {
  request: ApiRequest;
  info: RequestInfo;
  caller: UserInfo;
  timeoutMs: number;
  audited?: AuditedRequest;
}

function actAs(deps: HandlerDeps, input: CalledRequest): Promise<ApiResponse> {
  const { request, info, caller, audited } = input;
  const user = impersonate(deps.authorizer, caller, request);
  if (user !== caller) audited?.impersonate(user);
  authorizeRecorded(deps.authorizer, { user, info, trail: audited });
  // The server behind a proxy reads the body as fast as it likes.
  const whole = { request, info, user, timeoutMs: input.timeoutMs };
  if (request.readBody === undefined || info.behindProxy !== undefined) return answerInTurn(deps, whole);
  return answerOnceRead(deps, whole, { of: caller.name, readBody: request.readBody });
}

async function answerOnceRead(
  deps: HandlerDeps,
  whole: WholeRequest,
  { of, readBody }: { of: string; readBody: NonNullable<ApiRequest["readBody"]> },
): Promise<ApiResponse> {
  const room = deps.bodies.room(of);
  try {
    // The request is this call's own. A copy over it as a prototype would make each of them slow.
    whole.request.body = await readBody(room.take);
    return await answerInTurn(deps, whole);
  } finally {
    room.leave();
  }
}

interface WholeRequest {
  request: ApiRequest;
  info: RequestInfo;
  user: UserInfo;
  timeoutMs: number;
}

/**
 * A watch takes a place until it has begun, as upstream; other streams between clients and pods
 * take none.
 */
function answerInTurn(deps: HandlerDeps, whole: WholeRequest): Promise<ApiResponse> {
  const { info } = whole;
  if (deps.flow === undefined || (isLongRunning(info) && info.verb !== "watch")) return answerWhole(deps, whole);
  return answerByFlow(deps, deps.flow, whole);
}

async function answerByFlow(deps: HandlerDeps, flow: FlowControl, whole: WholeRequest): Promise<ApiResponse> {
  const { request, info, user } = whole;
  const turn = await flow.enter(user, info, () => request.signal);
  if ("refusal" in turn) {
    deps.metrics.refused(info, turn.refusal.code);
    return withHeaders(inForm(deps, errorResponse(turn.refusal), request), turn.headers);
  }
  let isStreamed = false;
  try {
    const response = await answerWhole(deps, whole);
    if (!isLongRunning(info) && !(response.body instanceof Uint8Array)) {
      // A list takes its seats until it has been sent, or its client has left.
      isStreamed = true;
      const leave = once(() => turn.leave());
      onAbort(request.signal, leave);
      response.body = observedBody(response.body, { piece: () => {}, end: leave });
    }
    return withHeaders(response, turn.headers);
  } catch (error) {
    const known = toApiError(error);
    if (known === undefined) throw error;
    return withHeaders(inForm(deps, errorResponse(known), request), turn.headers);
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

/**
 * Only requests whose body is there count as in flight: a slow upload takes no place from others.
 */
async function answerWhole(deps: HandlerDeps, { request, info, user, timeoutMs }: WholeRequest): Promise<ApiResponse> {
  const load = loadClassOf(info, deps.registry);
  const full = deps.limit.enter(load);
  if (full !== undefined) {
    deps.metrics.refused(info, full.code);
    throw full;
  }
  try {
    const answer = deps.routes(request, info, user);
    if (!(answer instanceof Promise)) return answer;
    return isLongRunning(info) ? await answer : await inTime(deps.clock, answer, timeoutMs);
  } finally {
    deps.limit.leave(load);
  }
}

/** A request that takes too long is answered; whether its write happens is then unknown. */
function inTime<T>(clock: Clock, answer: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(timeoutMs, () =>
      reject(timedOut("request did not complete within the allotted timeout; a write may or may not have happened")),
    );
    answer.then(
      (value) => {
        timer.cancel();
        resolve(value);
      },
      (error: unknown) => {
        timer.cancel();
        reject(error as Error);
      },
    );
  });
}

function refuse(deps: HandlerDeps, error: unknown, info: RequestInfo | undefined): ApiResponse {
  const known = toApiError(error);
  if (known !== undefined) return errorResponse(known);
  deps.log.error("request failed", { verb: info?.verb, path: info?.path, error });
  return errorResponse(internalError("internal error; see the server's log", error));
}

/** A refusal is a Status, which has the same form whatever was requested. */
function inForm({ encodings }: HandlerDeps, refusal: ApiResponse, { headers }: ApiRequest): ApiResponse {
  return encodedAnswer(refusal, encodingOf(headers["accept"], encodings.offers.posted), () => undefined);
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
