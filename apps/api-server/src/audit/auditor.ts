import type { Logger, Metrics } from "@kintsugi/api";
import type { Clock, Random } from "@kintsugi/clock";
import type { UserInfo } from "../authorization/authorization.ts";
import type { ApiRequest } from "../http/api-request.ts";
import type { RequestInfo } from "../request/request-info.ts";
import { type AuditFile, AuditLog, type AuditLogOptions } from "./audit-log.ts";
import { type AuditMetrics, createAuditMetrics } from "./audit-metrics.ts";
import type { AuditPolicy } from "./audit-policy.ts";
import { AuditedRequest } from "./audited-request.ts";
import { planAudit } from "./plan-audit.ts";

export interface AuditorDeps {
  clock: Pick<Clock, "nowMs">;
  random: Pick<Random, "uuid">;
  log: Logger;
  metrics: Metrics;
  file: AuditFile;
}

/** Records requests by a policy. */
export class Auditor {
  readonly #deps: AuditorDeps;
  readonly #policy: AuditPolicy;
  readonly #metrics: AuditMetrics;
  readonly #log: AuditLog;

  constructor(deps: AuditorDeps, { policy, ...options }: AuditLogOptions & { policy: AuditPolicy }) {
    this.#deps = deps;
    this.#policy = policy;
    this.#metrics = createAuditMetrics(deps.metrics);
    this.#log = new AuditLog({ ...deps, metrics: this.#metrics }, options);
  }

  /** True where a request whose arrival is not recorded is rejected. */
  get isStrict(): boolean {
    return this.#log.isStrict;
  }

  /** Returns the record of a request; `undefined` where the policy wants none. */
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
    return new AuditedRequest({ clock, log: this.#log }, { ...begun, plan, auditId });
  }

  requestRejected(): void {
    this.#metrics.requestRejected();
  }

  /** Writes the events that wait. */
  close(): Promise<void> {
    return this.#log.close();
  }
}

/** A client may give its request an ID, as upstream; one that is too long or odd is not taken. */
function sentId({ headers }: ApiRequest): string | undefined {
  const sent = headers["audit-id"];
  return sent !== undefined && /^[\x21-\x7e]{1,64}$/.test(sent) ? sent : undefined;
}
