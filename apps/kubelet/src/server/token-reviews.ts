import { createHash } from "node:crypto";
import { type TokenReview, tokenReviews } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { type Clock, forgetOldest } from "@kintsugi/clock";
import type { ClientIdentity } from "./client-identity.ts";

export interface TokenReviewsDeps {
  /**
   * Returns the user of a token by the API's review; undefined for an invalid token.
   * @throws when the review failed.
   */
  ask(token: string, signal: AbortSignal): Promise<ClientIdentity | undefined>;
  clock: Clock;
}

export interface TokenReviewsOptions {
  /** Time for which an answer is cached (authentication.webhook.cacheTTL). Default 2 min. */
  cacheTtlMs: number;
}

/** Limit of cached answers. A scraper of a kubelet has one token, and a new token each hour. */
const answersMax = 1000;
/**
 * Limit of concurrent reviews, because a client without a certificate must not make a kubelet flood
 * the API.
 */
const askingMax = 10;

/** There are more unknown tokens than concurrent reviews are allowed. */
export class TooManyTokens extends Error {
  override readonly name = "TooManyTokens";
}

/**
 * Reviews bearer tokens with the API, as upstream's webhook authentication does, and caches the
 * answer under the token's hash.
 */
export class TokenReviews {
  readonly #deps: TokenReviewsDeps;
  readonly #options: TokenReviewsOptions;
  readonly #answers = new Map<string, { identity: ClientIdentity | undefined; untilMs: number }>();
  readonly #asking = new Map<string, Promise<ClientIdentity | undefined>>();

  constructor(deps: TokenReviewsDeps, options: TokenReviewsOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /**
   * @throws when the API does not answer, TooManyTokens when the limit is reached: an
   * unauthenticated client is not admitted.
   */
  async identify(token: string): Promise<ClientIdentity | undefined> {
    const key = createHash("sha256").update(token).digest("base64");
    const known = this.#answers.get(key);
    if (known !== undefined && known.untilMs > this.#deps.clock.monotonicMs()) return known.identity;
    const asking = this.#asking.get(key) ?? this.#ask(key, token);
    return asking;
  }

  #ask(key: string, token: string): Promise<ClientIdentity | undefined> {
    if (this.#asking.size >= askingMax) return Promise.reject(new TooManyTokens("too many tokens are being reviewed"));
    // Several clients may wait for one answer, which continues when a client disconnects.
    const asking = this.#deps
      .ask(token, new AbortController().signal)
      .then((identity) => {
        this.#answers.delete(key);
        this.#answers.set(key, { identity, untilMs: this.#deps.clock.monotonicMs() + this.#options.cacheTtlMs });
        forgetOldest(this.#answers, answersMax);
        return identity;
      })
      .finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }
}

/** Time limit of the API's answer, for which a client of the kubelet waits. */
const answerTimeoutMs = 10_000;

export function askWhoseToken(client: Pick<Client, "create">): TokenReviewsDeps["ask"] {
  return async (token, signal) => {
    const review: TokenReview = { metadata: {}, spec: { token } };
    const { status } = await client.create(tokenReviews, review, { signal, timeoutMs: answerTimeoutMs });
    if (status?.authenticated !== true || !status.user?.username) return undefined;
    const { username, uid, groups = [], extra } = status.user;
    return { name: username, groups, ...(uid ? { uid } : {}), ...(extra ? { extra } : {}) };
  };
}
