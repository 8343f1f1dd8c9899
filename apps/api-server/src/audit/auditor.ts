import type { Logger, Metrics } from "@kintsugi/api";
import type { Clock, Random } from "@kintsugi/clock";
import type { UserInfo } from "../authorization/authorization.ts";
import type { ApiRequest } from "../http/api-request.ts";
import type { RequestInfo } from "../request/request-info.ts";
import { type AuditFile, AuditLog, type AuditLogOptions } from "./audit-log.ts";
import { type AuditMetrics, createAuditMetrics } from "./audit-metrics.ts";
import type { AuditPolicy } from "./audit-policy.ts";
import { type AuditSink, unitedSinks } from "./audit-sink.ts";
import { type AuditReceiver, AuditWebhook, type AuditWebhookOptions } from "./audit-webhook.ts";
import { AuditedRequest } from "./audited-request.ts";
import { planAudit } from "./plan-audit.ts";

export interface AuditorDeps {
  clock: Pick<Clock, "nowMs" | "after" | "monotonicMs" | "sleep">;
  random: Pick<Random, "uuid" | "float">;
  log: Logger;
  metrics: Metrics;
  /** The log's destination; no log is written where it is absent. */
  file?: AuditFile;
  /** The server to which events are posted; absent: events are not posted. */
  receiver?: AuditReceiver;
}

export interface AuditorOptions {
  readonly policy: AuditPolicy;
  readonly log?: AuditLogOptions;
  readonly webhook?: AuditWebhookOptions;
}

/** Records requests by a policy. */
export class Auditor {
  readonly #deps: AuditorDeps;
  readonly #policy: AuditPolicy;
  readonly #metrics: AuditMetrics;
  readonly #sink: AuditSink;

  constructor(deps: AuditorDeps, { policy, log, webhook }: AuditorOptions) {
    this.#deps = deps;
    this.#policy = policy;
    const metrics = createAuditMetrics(deps.metrics);
    this.#metrics = metrics;
    const { file, receiver } = deps;
    const sink = unitedSinks([
      ...(file === undefined || log === undefined ? [] : [new AuditLog({ ...deps, file, metrics }, log)]),
      ...(receiver === undefined || webhook === undefined
        ? []
        : [new AuditWebhook({ ...deps, receiver, metrics }, webhook)]),
    ]);
    this.#sink = {
      isStrict: sink.isStrict,
      append: (line) => {
        metrics.event();
        return sink.append(line);
      },
      close: () => sink.close(),
    };
  }

  /** True where a request whose arrival is not recorded is rejected. */
  get isStrict(): boolean {
    return this.#sink.isStrict;
  }

  /** Returns the record of a request; `undefined` where the policy does not record it. */
  begin(begun: {
    request: ApiRequest;
    info: RequestInfo;
    user: UserInfo | undefined;
    isLongRunning: boolean;
  }): AuditedRequest | undefined {
    const plan = planAudit(this.#policy, begun);
    this.#metrics.level(plan?.level ?? "None");
    if (plan === undefined) return undefined;
    const { clock, random } = this.#deps;
    const auditId = sentId(begun.request) ?? random.uuid();
    return new AuditedRequest({ clock, log: this.#sink }, { ...begun, plan, auditId });
  }

  requestRejected(): void {
    this.#metrics.requestRejected();
  }

  /** Writes the waiting events. */
  close(): Promise<void> {
    return this.#sink.close();
  }
}

/**
 * A client may set the ID of its request. An ID that is too long or has other characters is
 * ignored.
 */
function sentId({ headers }: ApiRequest): string | undefined {
  const sent = headers["audit-id"];
  return sent !== undefined && /^[\x21-\x7e]{1,64}$/.test(sent) ? sent : undefined;
}
