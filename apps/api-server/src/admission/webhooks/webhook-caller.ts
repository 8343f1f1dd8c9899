import { type ApiError, countValues, isApiError, type Logger, type Metrics } from "@kintsugi/api";
import { type Clock, onAbort, type Random } from "@kintsugi/clock";
import type { AdmissionRequest } from "../admission.ts";
import {
  type AskedReview,
  denialOf,
  readVerdict,
  reviewOf,
  type ReviewVerdict,
  reviewVersionOf,
} from "./admission-review.ts";
import type { Invocation } from "./find-invocation.ts";
import type { CompiledWebhook } from "./webhook-directory.ts";
import { failureText, raced, statusText } from "./webhook-failures.ts";
import { createWebhookMetrics, type WebhookOutcome } from "./webhook-metrics.ts";
import type { WebhookTarget, WebhookTransport } from "./webhook-transport.ts";

/** A Service whose endpoints serve a webhook. */
interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

export interface WebhookCallerDeps {
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: Metrics;
  /** Transport of the calls; every call fails if it is undefined. */
  transport: WebhookTransport | undefined;
  /** Finds an endpoint of a Service. @throws ApiError */
  locateService(service: WebhookService): { address: string; port: number };
}

interface WebhookCallerOptions {
  /** Concurrent calls of one webhook. */
  callsMax: number;
}

/** The outcome of one call: a verdict, or the reason for the missing verdict. */
export type CallResult = { called: true; verdict: ReviewVerdict } | { called: false; because: string; code: number };

/**
 * The part of an outcome that decides the request; all fields are undefined where a failure is
 * ignored.
 */
interface CallOutcome {
  readonly verdict: ReviewVerdict | undefined;
  readonly failure: string | undefined;
  readonly refusal: ApiError | undefined;
  /** The call failed, and the webhook's policy ignores the failure. */
  readonly failedOpen: boolean;
}

/** Limits of a warning's length and of the number of warnings, as in upstream's headers. */
const warningLengthMax = 256;
const warningsMax = 20;

/**
 * Calls webhooks. A call ends after the webhook's timeout, and each webhook has a limited share of
 * the calls.
 */
export class WebhookCaller {
  readonly #deps: WebhookCallerDeps;
  readonly #callsMax: number;
  readonly #calls = new Map<string, number>();
  readonly #observe: (outcome: WebhookOutcome) => void;

  constructor(deps: WebhookCallerDeps, options: WebhookCallerOptions) {
    this.#deps = deps;
    this.#callsMax = options.callsMax;
    this.#observe = createWebhookMetrics(deps.metrics);
  }

  /**
   * Resolves with the verdict of a webhook that allows the request, with its rejection, or with the
   * failure of the call. All three are undefined when the webhook's policy ignores the failure.
   * @throws the reason of `signal` when it aborts.
   */
  async call(
    invocation: Invocation,
    request: AdmissionRequest,
    { mutating, signal }: { mutating: boolean; signal: AbortSignal },
  ): Promise<CallOutcome> {
    const { webhook } = invocation.webhook;
    const { clock, log } = this.#deps;
    const startedMs = clock.monotonicMs();
    const result = await this.#counted(invocation, request, { mutating, signal });
    signal.throwIfAborted();
    const isIgnored = webhook.failurePolicy === "Ignore";
    const outcome = {
      name: webhook.name,
      type: mutating ? ("admit" as const) : ("validating" as const),
      operation: request.operation.toUpperCase(),
      seconds: (clock.monotonicMs() - startedMs) / 1000,
    };
    if (!result.called) {
      const failure = `failed calling webhook ${JSON.stringify(webhook.name)}: ${result.because}`;
      log.warn(isIgnored ? "webhook failed, failing open" : "webhook failed, failing closed", { failure });
      const rejectedBy = isIgnored ? undefined : ("calling_webhook_error" as const);
      this.#observe({ ...outcome, code: result.code, rejectedBy, failedOpen: isIgnored });
      return {
        verdict: undefined,
        failure: isIgnored ? undefined : failure,
        refusal: undefined,
        failedOpen: isIgnored,
      };
    }
    const { verdict } = result;
    for (const text of verdict.warnings.slice(0, warningsMax)) request.warnings.push(cleaned(text));
    for (const [key, value] of Object.entries(verdict.auditAnnotations)) {
      request.trail?.annotate(`${webhook.name}/${key}`, value);
    }
    if (verdict.allowed) {
      this.#observe({ ...outcome, code: 200, failedOpen: false });
      return { verdict, failure: undefined, refusal: undefined, failedOpen: false };
    }
    const refusal = denialOf(webhook.name, verdict.result);
    this.#observe({ ...outcome, code: refusal.code, rejectedBy: "no_error", failedOpen: false });
    return { verdict: undefined, failure: undefined, refusal, failedOpen: false };
  }

  /**
   * Limits the calls of each webhook, so that a webhook that hangs does not block requests that it
   * does not match.
   */
  async #counted(
    invocation: Invocation,
    request: AdmissionRequest,
    options: { mutating: boolean; signal: AbortSignal },
  ): Promise<CallResult> {
    const { id } = invocation.webhook;
    const calls = this.#calls.get(id) ?? 0;
    if (calls >= this.#callsMax) {
      return { called: false, because: `failed to call webhook: ${calls} calls are in flight already`, code: 503 };
    }
    this.#calls.set(id, calls + 1);
    try {
      return await this.#send(invocation, request, options);
    } finally {
      const left = (this.#calls.get(id) ?? 1) - 1;
      if (left === 0) this.#calls.delete(id);
      else this.#calls.set(id, left);
    }
  }

  async #send(
    { webhook, resource }: Invocation,
    request: AdmissionRequest,
    { mutating, signal }: { mutating: boolean; signal: AbortSignal },
  ): Promise<CallResult> {
    const { clock, random, transport } = this.#deps;
    const timeoutMs = (webhook.webhook.timeoutSeconds ?? 10) * 1000;
    const stop = new AbortController();
    const timer = clock.after(timeoutMs, () => stop.abort(new Error("context deadline exceeded")));
    const stopListening = onAbort(signal, () => stop.abort(signal.reason));
    const url = urlOf(webhook, timeoutMs);
    const failed = (error: unknown): CallResult => {
      const cause = stop.signal.aborted ? stop.signal.reason : error;
      const text = `failed to call webhook: Post ${JSON.stringify(url)}: ${failureText(cause)}`;
      return { called: false, because: text, code: isApiError(cause) ? cause.code : 503 };
    };
    try {
      if (transport === undefined) return failed(new Error("this API server does not call webhooks"));
      const uid = random.uuid();
      const version = reviewVersionOf(webhook.webhook.admissionReviewVersions);
      const review = reviewOf(request, { uid, resource, version });
      const answer = await raced(
        transport.post(this.#target(webhook, url), JSON.stringify(review), stop.signal),
        stop.signal,
      );
      if (answer.status < 200 || answer.status > 299) {
        return { called: false, because: `failed to call webhook: ${statusText(answer)}`, code: answer.status };
      }
      return readAnswer(answer.body, { uid, mutating, version, values: countValues(review) });
    } catch (error) {
      return failed(error);
    } finally {
      timer.cancel();
      stopListening();
    }
  }

  /** @throws ApiError when no endpoint serves the Service. */
  #target({ webhook: { clientConfig } }: CompiledWebhook, url: string): WebhookTarget {
    const { service, caBundle = "" } = clientConfig;
    const ca = caBundle === "" ? undefined : Buffer.from(caBundle, "base64").toString("utf8");
    if (service === undefined) return { url, endpoint: undefined, ca };
    const { namespace, name, port = 443 } = service;
    return { url, endpoint: this.#deps.locateService({ namespace, name, port }), ca };
  }
}

function urlOf({ webhook: { clientConfig } }: CompiledWebhook, timeoutMs: number): string {
  const { url, service } = clientConfig;
  const { name = "", namespace = "", port = 443, path = "" } = service ?? {};
  const base = url ?? `https://${name}.${namespace}.svc:${port}${path.startsWith("/") ? path : `/${path}`}`;
  return `${base}?timeout=${timeoutMs / 1000}s`;
}

function readAnswer(body: string, asked: AskedReview): CallResult {
  try {
    return { called: true, verdict: readVerdict(body, asked) };
  } catch (error) {
    return { called: false, because: `received invalid webhook response: ${(error as Error).message}`, code: 503 };
  }
}

/** A warning is sent as a header, and control characters would end the header. */
function cleaned(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ").slice(0, warningLengthMax);
}
