import {
  type CertificateSigningRequest,
  type CertificateSigningRequestCondition,
  certificateSigningRequests,
  type Endpoints,
  endpoints,
  isApiError,
  leases,
  nodes,
  type Service,
  services,
  type SubjectAccessReview,
  subjectAccessReviews,
} from "@kintsugi/api";
import { type Controller, done, QueueController, type ReconcileResult } from "@kintsugi/controller";
import type { Informer } from "@kintsugi/client";
import { type Authority, InvalidSigningRequest, readSigningRequest, type SigningRequest } from "@kintsugi/pki";
import type { ControllerContext } from "../context.ts";
import { type RecordEvent, referenceTo } from "../events.ts";
import { whileListening } from "../while-listening.ts";
import {
  clientSigner,
  endOfRequestMs,
  type ObservedCluster,
  planApproval,
  planSigning,
  servingSigner,
  userSigner,
} from "./plan.ts";

export interface SigningOptions {
  authority: Authority;
  /** How long certificates hold at most. */
  validMs: number;
  /** Names and addresses in the API server's certificate; without it, only those that follow from the Service `kubernetes` are known. */
  readonly apiServerNames?: ((signal: AbortSignal) => Promise<readonly string[]>) | undefined;
  /** Where Services have their addresses: "10.96.0.0/16". */
  serviceRange?: string | undefined;
}

/** Kubelets ask once in months; two at a time sign faster than machines join. */
const workers = 2;

/** How soon a request that was not approved is looked at again: its Node may have got its addresses meanwhile. */
const lookAgainMs = 10_000;

/** Approves and signs the certificates of kubelets, signs those of users that somebody has approved, and removes requests that have served: upstream's csrapproving, csrsigning, csrcleaner. */
export class CertificateController implements Controller {
  readonly name = "certificate-signing";
  readonly #context: ControllerContext;
  readonly #signing: SigningOptions;
  readonly #queue: QueueController;
  readonly #record: RecordEvent;
  readonly #services: Pick<Informer<Service>, "list"> | undefined;
  readonly #endpoints: Pick<Informer<Endpoints>, "find"> | undefined;
  /** Why a request was not approved, by its name, so that each reason becomes one event; gone with the request. */
  readonly #reasons = new Map<string, string>();

  constructor(context: ControllerContext, signing: SigningOptions) {
    this.#context = context;
    this.#signing = signing;
    const { informers, served } = context;
    this.#record = context.eventsAs("certificate-controller");
    this.#services = served.includes(services) ? informers.of(services) : undefined;
    this.#endpoints = served.includes(endpoints) ? informers.of(endpoints) : undefined;
    const requests = informers.of(certificateSigningRequests);
    this.#queue = new QueueController(
      {
        ...context,
        reconciler: { reconcile: (name, signal) => this.#reconcile(name, signal) },
        allKeys: () => requests.list().map(({ metadata }) => metadata.name ?? ""),
      },
      { name: "certificate", workers },
    );
  }

  async run(signal: AbortSignal): Promise<void> {
    const requests = this.#context.informers.of(certificateSigningRequests);
    const stop = requests.onChange(({ type, object }) => {
      if (type !== "deleted") this.#queue.enqueue(object.metadata.name ?? "");
    });
    await whileListening([stop], this.#queue.run(signal));
  }

  async #reconcile(name: string, signal: AbortSignal): Promise<ReconcileResult> {
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

  /** Resolves with whether time alone changes nothing. */
  async #decide(request: CertificateSigningRequest, signal: AbortSignal): Promise<boolean> {
    const has = (type: string) => (request.status?.conditions ?? []).some((condition) => condition.type === type);
    if (has("Denied") || has("Failed")) return true;
    let asked: SigningRequest;
    try {
      asked = await readSigningRequest(Buffer.from(request.spec.request, "base64").toString("utf8"));
    } catch (error) {
      if (!(error instanceof InvalidSigningRequest)) throw error;
      await this.#refuse(request, error.message);
      return true;
    }
    if (!has("Approved")) return this.#approve(request, asked, signal);
    await this.#sign(request, asked);
    return true;
  }

  // oxlint-disable-next-line max-params -- the request, what it contains, and until when
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
    this.#record({ about, type: "Warning", reason: "CertificateNotApproved", message });
  }

  /** The Node is read anew: a copy may not know yet that it is there. */
  // oxlint-disable-next-line max-params -- as above
  async #observe(
    { spec }: CertificateSigningRequest,
    asked: SigningRequest,
    signal: AbortSignal,
  ): Promise<ObservedCluster> {
    const { client, informers } = this.#context;
    const name = asked.commonName.replace(/^system:node:/, "");
    const node = name === "" ? undefined : await client.find(nodes, { namespace: "", name }, { signal });
    const leaseKey = { namespace: "kube-node-lease", name };
    const lease = node && (await client.find(leases, leaseKey, { signal }));
    const isServing = spec.signerName === servingSigner;
    const certified = isServing ? ((await this.#signing.apiServerNames?.(signal)) ?? []) : [];
    return {
      node,
      lease,
      boundPods: informers.pods.byIndex("node", name),
      nodes: informers.nodes.list(),
      pods: informers.pods.list(),
      services: this.#services?.list() ?? [],
      apiServer: [...certified, ...this.#advertised()],
      serviceRange: this.#signing.serviceRange,
    };
  }

  /** Where the Service `kubernetes` leads. */
  #advertised(): string[] {
    const found = this.#endpoints?.find({ namespace: "default", name: "kubernetes" });
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
    const { authority, validMs } = this.#signing;
    const wantedMs = (request.spec.expirationSeconds ?? Infinity) * 1000;
    const pem = await authority.sign(asked, { usages: [plan.usage], validMs: Math.min(validMs, wantedMs) });
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
