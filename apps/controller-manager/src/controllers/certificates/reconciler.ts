import {
  type CertificateSigningRequest,
  type CertificateSigningRequestCondition,
  certificateSigningRequests,
  endpoints,
  isApiError,
  leases,
  nodeLeaseNamespace,
  nodes,
  pods,
  services,
  type SubjectAccessReview,
  subjectAccessReviews,
} from "@kintsugi/api";
import { done, type Reconciler, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import { type Authority, InvalidSigningRequest, type SigningRequest } from "@kintsugi/pki";
import type { ControllerContext } from "../../context.ts";
import type { certificateOptions } from "./options.ts";
import {
  clientSigner,
  endOfRequestMs,
  type ObservedCluster,
  planApproval,
  planSigning,
  servingSigner,
  userSigner,
} from "./plan.ts";

export interface CertificateReconcilerDeps {
  context: ControllerContext<typeof certificateOptions>;
  authority: Authority;
}

/**
 * A request that was not approved is reconciled again after this time, because its Node may have
 * received its addresses in the meantime.
 */
const lookAgainMs = 10_000;

/** Takes the next step for one request. */
export class CertificateReconciler implements Reconciler {
  readonly #context: ControllerContext<typeof certificateOptions>;
  readonly #authority: Authority;
  /**
   * The reason why each request was not approved, so that each reason is recorded as one event. The
   * entry is removed with the request.
   */
  readonly #reasons = new Map<string, string>();

  constructor({ context, authority }: CertificateReconcilerDeps) {
    this.#context = context;
    this.#authority = authority;
  }

  async reconcile(name: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { client, clock } = this.#context;
    const request = await client.find(certificateSigningRequests, { namespace: "", name }, { signal });
    if (request === undefined) {
      this.#reasons.delete(name);
      return done;
    }
    const leftMs = endOfRequestMs(request) - clock.nowMs();
    if (leftMs <= 0) {
      const { uid = "" } = request.metadata;
      await client.delete(certificateSigningRequests, { namespace: "", name }, { preconditions: { uid }, signal });
      return done;
    }
    const isDecided = !isOurs(request) || request.status?.certificate || (await this.#decide(request, signal));
    return { retryAfterMs: isDecided ? leftMs : Math.min(leftMs, lookAgainMs) };
  }

  /**
   * Resolves with whether the request has reached its final state, so that the passing of time
   * changes nothing.
   */
  async #decide(request: CertificateSigningRequest, signal: AbortSignal): Promise<boolean> {
    const has = (type: string) => (request.status?.conditions ?? []).some((condition) => condition.type === type);
    if (has("Denied") || has("Failed")) return true;
    let asked: SigningRequest;
    try {
      asked = await this.#authority.read(Buffer.from(request.spec.request, "base64").toString("utf8"));
    } catch (error) {
      if (!(error instanceof InvalidSigningRequest)) throw error;
      await this.#refuse(request, error.message);
      return true;
    }
    if (!has("Approved")) return this.#approve(request, asked, signal);
    await this.#sign(request, asked);
    return true;
  }

  async #approve(request: CertificateSigningRequest, asked: SigningRequest, signal: AbortSignal): Promise<boolean> {
    const plan = planApproval(request.spec, asked, await this.#observe(request, asked, signal));
    if (plan.approve === "no") {
      this.#note(request, plan.because);
      return plan.because === undefined;
    }
    if (plan.approve === "yes") {
      await this.#conclude(request, { type: "Approved", reason: "AutoApproved", message: plan.message });
    } else if (await this.#isAllowed(request, plan.subresource)) {
      const { denied, message } = plan;
      if (denied) this.#note(request, denied.message);
      await this.#conclude(
        request,
        denied ? { type: "Denied", ...denied } : { type: "Approved", reason: "AutoApproved", message },
      );
    }
    return true;
  }

  async #conclude(
    request: CertificateSigningRequest,
    verdict: { type: "Approved" | "Denied"; reason: string; message: string },
  ): Promise<void> {
    const { client, log } = this.#context;
    const condition = { status: "True", ...verdict };
    await client.update(certificateSigningRequests, withCondition(request, condition), { subresource: "approval" });
    const { type, reason } = verdict;
    log.info("certificate request decided", {
      request: request.metadata.name,
      username: request.spec.username,
      type,
      reason,
    });
  }

  #note(request: CertificateSigningRequest, because: string | undefined): void {
    const { name = "" } = request.metadata;
    if (because === undefined || this.#reasons.get(name) === because) return;
    this.#reasons.set(name, because);
    const message = `not approved: ${because}`;
    const about = referenceTo(certificateSigningRequests, request);
    this.#context.recordEvent({ about, type: "Warning", reason: "CertificateNotApproved", message });
  }

  /** The Node is read from the server because the cache may not contain it yet. */
  async #observe(
    { spec }: CertificateSigningRequest,
    asked: SigningRequest,
    signal: AbortSignal,
  ): Promise<ObservedCluster> {
    const { client, informers, options, apiServerNames } = this.#context;
    const name = asked.commonName.replace(/^system:node:/, "");
    const node = name === "" ? undefined : await client.find(nodes, { namespace: "", name }, { signal });
    const leaseKey = { namespace: nodeLeaseNamespace, name };
    const lease = node && (await client.find(leases, leaseKey, { signal }));
    const isServing = spec.signerName === servingSigner;
    const certified = isServing ? ((await apiServerNames?.(signal)) ?? []) : [];
    return {
      node,
      lease,
      boundPods: informers.of(pods).byIndex("node", name),
      nodes: informers.of(nodes).list(),
      pods: informers.of(pods).list(),
      services: informers.find(services)?.list() ?? [],
      apiServer: [...certified, ...this.#advertised()],
      serviceRange: options.serviceClusterIpRange,
    };
  }

  /** Lists the addresses behind the Service `kubernetes`. */
  #advertised(): string[] {
    const found = this.#context.informers.find(endpoints)?.find({ namespace: "default", name: "kubernetes" });
    return (found?.subsets ?? []).flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip));
  }

  async #isAllowed({ spec }: CertificateSigningRequest, subresource: string): Promise<boolean> {
    const review: SubjectAccessReview = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      metadata: {},
      spec: {
        user: spec.username ?? "",
        groups: spec.groups ?? [],
        resourceAttributes: {
          group: "certificates.k8s.io",
          resource: "certificatesigningrequests",
          verb: "create",
          subresource,
        },
      },
    };
    return (await this.#context.client.create(subjectAccessReviews, review)).status?.allowed === true;
  }

  async #sign(request: CertificateSigningRequest, asked: SigningRequest): Promise<void> {
    const { client, log } = this.#context;
    const plan = planSigning(request.spec, asked);
    if (plan === undefined) return;
    if ("refused" in plan) return this.#refuse(request, plan.refused);
    const wantedMs = (request.spec.expirationSeconds ?? Infinity) * 1000;
    const validMs = Math.min(this.#context.options.clusterSigningDurationMs, wantedMs);
    const pem = await this.#authority.sign(asked, { usages: [plan.usage], validMs });
    const certificate = Buffer.from(pem).toString("base64");
    const signed = { ...request, status: { ...request.status, certificate } };
    await client.update(certificateSigningRequests, signed, { subresource: "status" }).catch((error: unknown) => {
      if (!isApiError(error, "NotFound")) throw error;
    });
    log.info("certificate signed", { request: request.metadata.name, subject: asked.commonName });
  }

  async #refuse(request: CertificateSigningRequest, message: string): Promise<void> {
    const condition = { type: "Failed", status: "True", reason: "SignerValidationFailure", message };
    const failed = withCondition(request, condition);
    await this.#context.client.update(certificateSigningRequests, failed, { subresource: "status" });
  }
}

function isOurs({ spec }: CertificateSigningRequest): boolean {
  return [clientSigner, servingSigner, userSigner].includes(spec.signerName);
}

function withCondition(
  request: CertificateSigningRequest,
  condition: CertificateSigningRequestCondition,
): CertificateSigningRequest {
  const conditions = [...(request.status?.conditions ?? []), condition];
  return { ...request, status: { ...request.status, conditions } };
}
