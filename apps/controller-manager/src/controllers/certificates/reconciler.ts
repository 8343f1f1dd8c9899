import {
  type CertificateSigningRequest,
  type CertificateSigningRequestCondition,
  certificateSigningRequests,
  isApiError,
  nodes,
  type SubjectAccessReview,
  subjectAccessReviews,
} from "@kintsugi/api";
import { done, type Reconciler, type ReconcileResult } from "@kintsugi/controller";
import { type Authority, InvalidSigningRequest, readSigningRequest, type SigningRequest } from "@kintsugi/pki";
import type { ControllerContext } from "../../context.ts";
import type { certificateOptions } from "./options.ts";
import { clientSigner, endOfRequestMs, planApproval, planSigning, servingSigner, userSigner } from "./plan.ts";

export interface CertificateReconcilerDeps {
  context: ControllerContext<typeof certificateOptions>;
  authority: Authority;
}

/** Takes one request a step further. */
export class CertificateReconciler implements Reconciler {
  readonly #context: ControllerContext<typeof certificateOptions>;
  readonly #authority: Authority;

  constructor({ context, authority }: CertificateReconcilerDeps) {
    this.#context = context;
    this.#authority = authority;
  }

  async reconcile(name: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { client, clock } = this.#context;
    const request = await client.find(certificateSigningRequests, { namespace: "", name }, { signal });
    if (request === undefined) return done;
    const leftMs = endOfRequestMs(request) - clock.nowMs();
    if (leftMs <= 0) {
      const { uid = "" } = request.metadata;
      await client.delete(certificateSigningRequests, { namespace: "", name }, { preconditions: { uid }, signal });
      return done;
    }
    if (isOurs(request) && !request.status?.certificate) await this.#decide(request);
    return { retryAfterMs: leftMs };
  }

  async #decide(request: CertificateSigningRequest): Promise<void> {
    const has = (type: string) => (request.status?.conditions ?? []).some((condition) => condition.type === type);
    if (has("Denied") || has("Failed")) return;
    let asked: SigningRequest;
    try {
      asked = await readSigningRequest(Buffer.from(request.spec.request, "base64").toString("utf8"));
    } catch (error) {
      if (!(error instanceof InvalidSigningRequest)) throw error;
      await this.#refuse(request, error.message);
      return;
    }
    if (has("Approved")) await this.#sign(request, asked);
    else await this.#approve(request, asked);
  }

  async #approve(request: CertificateSigningRequest, asked: SigningRequest): Promise<void> {
    const { client, informers, log } = this.#context;
    const nodeName = asked.commonName.replace(/^system:node:/, "");
    const plan = planApproval(request.spec, asked, informers.of(nodes).find({ namespace: "", name: nodeName }));
    if (plan.approve === "no") return;
    if (plan.approve === "if-allowed" && !(await this.#isAllowed(request, plan.subresource))) return;
    const condition = { type: "Approved", status: "True", reason: "AutoApproved", message: plan.message };
    await client.update(certificateSigningRequests, withCondition(request, condition), { subresource: "approval" });
    log.info("certificate request approved", { request: request.metadata.name, subject: asked.commonName });
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
