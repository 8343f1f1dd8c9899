import { type JsonObject, type JsonValue, messageOf } from "@kintsugi/api";
import type { ApiError } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { UserInfo } from "../authorization/authorization.ts";
import type { ApiRequest, ApiResponse } from "../http/api-request.ts";
import type { AuditTrail } from "../http/audit-trail.ts";
import { observedBody } from "../http/observed-body.ts";
import type { RequestInfo } from "../request/request-info.ts";
import { failedAuthentication, formatAuditEvent, type NamedObject } from "./audit-event.ts";
import type { AuditSink } from "./audit-sink.ts";
import type { AuditStage } from "./audit-policy.ts";

import type { AuditPlan } from "./plan-audit.ts";
import { namedIn, responseStatusOf, withoutManagedFields } from "./recorded-object.ts";

// The stages of a request; each is one event with the same auditID:
//
//   RequestReceived ──► ResponseStarted ──► ResponseComplete
//                       (watches, logs,     (or Panic, after an internal error)
//                        streams only)

/**
 * Limit of a recorded answer. A longer answer is omitted from its event, which has upstream's
 * annotation `truncated` instead.
 */
const responseBytesMax = 10 * 1024 * 1024;
const truncated = "audit.k8s.io/truncated";

/**
 * Limit of the annotations of one request. Webhooks add annotations, and upstream does not limit
 * them.
 */
const annotationsMax = 100;

export interface AuditedDeps {
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Pick<AuditSink, "append">;
}

interface Audited {
  readonly auditId: string;
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly user: UserInfo | undefined;
  readonly plan: AuditPlan;
  /** A watch or stream lasts as long as the client likes, so its start is also recorded. */
  readonly isLongRunning: boolean;
}

/** Records one request in the stages that the policy selects. */
export class AuditedRequest implements AuditTrail {
  readonly #deps: AuditedDeps;
  readonly #audited: Audited;
  readonly #receivedMs: number;
  readonly #annotations = new Map<string, string>();
  #impersonated: UserInfo | undefined;
  #named: NamedObject = {};
  #requestObject: string | undefined;
  #responseObject: string | undefined;

  constructor(deps: AuditedDeps, audited: Audited) {
    this.#deps = deps;
    this.#audited = audited;
    this.#receivedMs = deps.clock.nowMs();
  }

  requestObject(object: JsonValue): void {
    this.#named = namedIn(object);
    const { level, omitManagedFields } = this.#audited.plan;
    if (level === "Metadata") return;
    // Serialized now, because later steps change the object.
    this.#requestObject = JSON.stringify(omitManagedFields ? withoutManagedFields(object) : object);
  }

  /** The first value of a key counts. */
  annotate(key: string, value: string, from: "Metadata" | "Request" = "Metadata"): void {
    if (from === "Request" && this.#audited.plan.level === "Metadata") return;
    if (this.#annotations.has(key) || this.#annotations.size >= annotationsMax) return;
    this.#annotations.set(key, value);
  }

  impersonate(user: UserInfo): void {
    this.#impersonated = user;
  }

  /** Resolves with false where the arrival could not be recorded. */
  received(): Promise<boolean> {
    return this.#emit("RequestReceived", undefined, this.#receivedMs);
  }

  /** Records that the caller could not be identified. */
  async unidentified(error: ApiError): Promise<void> {
    const message = failedAuthentication(this.#audited.request);
    await this.#emit("ResponseStarted", { metadata: {}, status: "Failure", message, code: error.code });
  }

  /** Records the answer to a request that failed by an internal error of the server. */
  async panicked(error: unknown): Promise<void> {
    const message = `APIServer panic'd: ${messageOf(error)}`;
    const status = { metadata: {}, status: "Failure", message, reason: "InternalError", code: 500 };
    await this.#emit("Panic", status);
  }

  /** Records an answer. An answer whose body is a stream is complete when its reader has ended. */
  async answered(response: ApiResponse): Promise<ApiResponse> {
    const { auditId, info, isLongRunning } = this.#audited;
    response.headers["audit-id"] = auditId;
    const { status, body, tunnel, bodyAsJson } = response;
    const whole = bodyAsJson ?? (body instanceof Uint8Array ? body : undefined);
    const responseStatus = responseStatusOf(status, info.behindProxy === undefined ? whole : undefined);
    if (isLongRunning) await this.#emit("ResponseStarted", responseStatus);
    const complete = () => this.#emit("ResponseComplete", responseStatus);
    if (tunnel !== undefined) tunnel.socket.once("close", complete);
    else if (body instanceof Uint8Array) {
      if (this.#recordsAnswer(response)) this.#recordAnswer([bodyAsJson ?? body]);
      await complete();
    } else response.body = this.#observed(response, body, complete);
    return response;
  }

  #observed(response: ApiResponse, body: AsyncIterable<Uint8Array>, complete: () => void): AsyncIterable<Uint8Array> {
    const records = this.#recordsAnswer(response);
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    return observedBody(body, {
      piece: (piece) => {
        bytes += piece.byteLength;
        if (!records || bytes > responseBytesMax) pieces.length = 0;
        else pieces.push(piece);
      },
      end: () => {
        if (bytes > responseBytesMax && records) this.annotate(truncated, "true");
        else if (records) this.#recordAnswer(pieces);
        complete();
      },
    });
  }

  #recordsAnswer({ headers, bodyAsJson }: ApiResponse): boolean {
    const { plan, info, isLongRunning } = this.#audited;
    const isJson = bodyAsJson !== undefined || headers["content-type"]?.startsWith("application/json") === true;
    return plan.level === "RequestResponse" && info.isResource && !isLongRunning && isJson;
  }

  #recordAnswer(pieces: readonly Uint8Array[]): void {
    const bytes = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
    if (bytes > responseBytesMax) return this.annotate(truncated, "true");
    const text = Buffer.concat(pieces, bytes).toString("utf8").trim();
    // The body is incomplete if its reader has stopped; HEAD has no body.
    if (!text.endsWith("}")) return;
    this.#responseObject = this.#audited.plan.omitManagedFields
      ? JSON.stringify(withoutManagedFields(JSON.parse(text) as JsonValue))
      : text.replaceAll("\n", " ");
  }

  #emit(stage: AuditStage, responseStatus: JsonObject | undefined, stageMs?: number): Promise<boolean> {
    const { plan } = this.#audited;
    if (plan.omitStages.has(stage)) return Promise.resolve(true);
    const { clock, log } = this.#deps;
    return log.append(
      formatAuditEvent({
        ...this.#audited,
        level: plan.level,
        stage,
        impersonated: this.#impersonated,
        named: this.#named,
        responseStatus,
        requestObject: this.#requestObject,
        responseObject: this.#responseObject,
        receivedMs: this.#receivedMs,
        stageMs: stageMs ?? clock.nowMs(),
        annotations: this.#annotations,
      }),
    );
  }
}
