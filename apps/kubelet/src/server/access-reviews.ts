import type { SubjectAccessReview } from "@kintsugi/api";
import { subjectAccessReviews } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { type Clock, forgetOldest } from "@kintsugi/clock";
import type { ClientIdentity } from "./client-identity.ts";

export interface AccessReviewsDeps {
  /** Returns the API's decision. @throws when the API does not answer. */
  ask(spec: SubjectAccessReview["spec"], signal: AbortSignal): Promise<boolean>;
  clock: Clock;
}

export interface AccessReviewsOptions {
  nodeName: string;
  /**
   * Time for which a permission is cached (authorization.webhook.cacheAuthorizedTTL). Default 5
   * min.
   */
  allowedMs?: number;
  /** Time for which a denial is cached (cacheUnauthorizedTTL). Default 30 s. */
  deniedMs?: number;
}

export interface AccessQuestion {
  identity: ClientIdentity;
  /** "get" or "create": the meaning of the request's method. */
  verb: string;
  /** The subresource of the node: "proxy", "metrics". */
  subresource: string;
}

/** Limit of cached decisions; some dozen clients with a few subresources each are usual. */
const verdictsMax = 1000;

/**
 * Reviews with the API whether a client may perform an action on this node, as upstream's webhook
 * authorization does, and caches the answer.
 */
export class AccessReviews {
  readonly #deps: AccessReviewsDeps;
  readonly #options: Required<AccessReviewsOptions>;
  readonly #verdicts = new Map<string, { allowed: boolean; untilMs: number }>();
  /** Hundreds of streams that are opened at the same time share one review. */
  readonly #asking = new Map<string, Promise<boolean>>();

  constructor(deps: AccessReviewsDeps, options: AccessReviewsOptions) {
    this.#deps = deps;
    this.#options = { allowedMs: 300_000, deniedMs: 30_000, ...options };
  }

  /**
   * @throws when the API does not answer, because no request is allowed without the API's
   * permission.
   */
  async isAllowed(question: AccessQuestion): Promise<boolean> {
    const { identity, verb, subresource } = question;
    const { name, groups, uid, extra } = identity;
    const key = JSON.stringify([name, groups, uid, extra, verb, subresource]);
    const known = this.#verdicts.get(key);
    if (known !== undefined && known.untilMs > this.#deps.clock.monotonicMs()) return known.allowed;
    const asking = this.#asking.get(key) ?? this.#ask(key, question);
    return asking;
  }

  #ask(key: string, { identity, verb, subresource }: AccessQuestion): Promise<boolean> {
    const { name, groups, uid, extra } = identity;
    const askedMs = this.#deps.clock.monotonicMs();
    const resourceAttributes = { verb, version: "v1", resource: "nodes", subresource, name: this.#options.nodeName };
    const spec = {
      user: name,
      groups: [...groups],
      ...(uid === undefined ? {} : { uid }),
      ...(extra === undefined ? {} : { extra: mutable(extra) }),
      resourceAttributes,
    };
    // Several clients may wait for one answer, which continues when a client disconnects.
    const asking = this.#deps
      .ask(spec, new AbortController().signal)
      .then((allowed) => {
        const { allowedMs, deniedMs } = this.#options;
        this.#remember(key, { allowed, untilMs: askedMs + (allowed ? allowedMs : deniedMs) });
        return allowed;
      })
      .finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  #remember(key: string, verdict: { allowed: boolean; untilMs: number }): void {
    this.#verdicts.delete(key);
    this.#verdicts.set(key, verdict);
    forgetOldest(this.#verdicts, verdictsMax);
  }
}

function mutable(extra: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
}

/** Time limit of the API's answer, for which a client of the kubelet waits. */
const answerTimeoutMs = 10_000;

export function askApi(client: Pick<Client, "create">): AccessReviewsDeps["ask"] {
  return async (spec, signal) => {
    const review: SubjectAccessReview = { metadata: {}, spec };
    const answer = await client.create(subjectAccessReviews, review, { signal, timeoutMs: answerTimeoutMs });
    return answer.status?.allowed === true;
  };
}
