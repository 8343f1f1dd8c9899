import type { KeyObject } from "node:crypto";
import { nodes, parseTimestamp, pods, type Secret, secrets, type ResourceType, serviceAccounts } from "@kintsugi/api";
import { type Clock, LruMap, type Random } from "@kintsugi/clock";
import { readSecretToken, type SecretToken, TokenReader, TokenSigner } from "@kintsugi/pki";
import type { Entry, Store } from "@kintsugi/store";
import type { UserInfo } from "../authorization/authorization.ts";
import { decodeEntry } from "../resources/encoding.ts";
import { storeKey } from "../resources/keys.ts";
import { isTimely, TokenClaims } from "./token-claims.ts";

export interface TokenOptions {
  /** RSA, or EC on P-256. */
  signingKey: KeyObject;
  /** Further keys, private or public, that verify tokens (`--service-account-key-file`). */
  keys?: readonly KeyObject[];
  /** The issuer that the tokens name (`--service-account-issuer`). */
  issuer: string;
  /**
   * The audiences of tokens that do not name an audience, and of tokens that are valid here
   * (`--api-audiences`).
   */
  audiences: readonly string[];
  /**
   * The URL of the keys that verify tokens (`--service-account-jwks-uri`); this server by default.
   */
  keysUri?: string | undefined;
}

export interface TokenSubject {
  namespace: string;
  serviceAccount: BoundObject;
  pod?: BoundObject | undefined;
  secret?: BoundObject | undefined;
  node?: BoundObject | undefined;
}

interface BoundObject {
  name: string;
  uid: string;
}

/**
 * Verified signatures, because verification takes longer than the rest of a small request. The
 * oldest signatures are evicted first.
 */
const verifiedMax = 10_000;

/**
 * Upstream's value: a pod that is being deleted may still use its token while it terminates, but
 * not indefinitely because of a finalizer.
 */
const deletedLeewayMs = 60_000;

/** A Secret with this label has a token that upstream's cleaner has invalidated. */
const invalidSinceLabel = "kubernetes.io/legacy-token-invalid-since";

/** A token with a valid signature: a requested token, or the token of a Secret. */
type Verified = { user: UserInfo } & (
  | { claims: TokenClaims; ofSecret?: undefined }
  | { ofSecret: SecretToken; claims?: undefined }
);

/** Issues the tokens of service accounts, and authenticates callers by them. */
export class ServiceAccountTokens {
  readonly audiences: readonly string[];
  readonly #issuer: string;
  readonly #signer: TokenSigner;
  readonly #reader: TokenReader;
  readonly #deps: { clock: Clock; random: Random; store: Pick<Store, "find"> };
  readonly #verified = new LruMap<string, Verified>(verifiedMax);

  constructor(deps: { clock: Clock; random: Random; store: Pick<Store, "find"> }, options: TokenOptions) {
    this.#deps = deps;
    this.#signer = new TokenSigner(options.signingKey);
    this.#reader = new TokenReader([options.signingKey, ...(options.keys ?? [])]);
    this.#issuer = options.issuer;
    this.audiences = options.audiences;
  }

  issue(subject: TokenSubject, options: { audiences: readonly string[]; seconds: number }): string {
    const { namespace, serviceAccount, pod, secret, node } = subject;
    const nowSeconds = Math.floor(this.#deps.clock.nowMs() / 1000);
    const bound = { ...(node ? { node } : {}), ...(pod ? { pod } : {}), ...(secret ? { secret } : {}) };
    const claims: TokenClaims = {
      aud: [...options.audiences],
      exp: nowSeconds + options.seconds,
      iat: nowSeconds,
      iss: this.#issuer,
      jti: this.#deps.random.uuid(),
      "kubernetes.io": { namespace, ...bound, serviceaccount: serviceAccount },
      nbf: nowSeconds,
      sub: userName(namespace, serviceAccount.name),
    };
    return this.#signer.sign(claims);
  }

  /**
   * Returns the user of a token; undefined when it was not issued by this cluster, has expired, or
   * its bound object was deleted.
   */
  authenticate(token: string): UserInfo | undefined {
    return this.authenticateFor(token, this.audiences)?.user;
  }

  /**
   * Authenticates like `authenticate` a token that was presented to one of `audiences`. Also
   * returns the audiences for which it is valid.
   */
  authenticateFor(
    token: string,
    audiences: readonly string[],
  ): { user: UserInfo; audiences: readonly string[] } | undefined {
    const known = this.#verified.get(token) ?? this.#verify(token);
    if (!known) return undefined;
    const { claims, user, ofSecret } = known;
    if (ofSecret !== undefined) {
      // Such a token does not name an audience, and is valid only for this server.
      const common = audiences.filter((audience) => this.audiences.includes(audience));
      return common.length > 0 && this.#isInSecret(token, ofSecret) ? { user, audiences: common } : undefined;
    }
    const expected = { issuer: this.#issuer, audiences };
    if (!isTimely(claims, expected, this.#deps.clock.nowMs()) || !this.#isThere(claims)) return undefined;
    return { user, audiences: audiences.filter((audience) => claims.aud.includes(audience)) };
  }

  #verify(token: string): Verified | undefined {
    const known = this.#read(token);
    if (known === undefined) return undefined;
    this.#verified.set(token, known);
    return known;
  }

  #read(token: string): Verified | undefined {
    const claims = this.#reader.read(token);
    const ofSecret = readSecretToken(claims);
    if (ofSecret !== undefined) return { ofSecret, user: userOfSecret(ofSecret) };
    const { data } = TokenClaims.safeParse(claims);
    return data === undefined ? undefined : { claims: data, user: userOf(data) };
  }

  /** Reports whether the Secret still has this token, and its account is the same. */
  #isInSecret(token: string, { namespace, secretName, accountName, accountUid }: SecretToken): boolean {
    const { store } = this.#deps;
    const account = store.find(storeKey(serviceAccounts, namespace, accountName));
    if (account?.index.uid !== accountUid || this.#isLongDeleted(account)) return false;
    const entry = store.find(storeKey(secrets, namespace, secretName));
    if (entry === undefined || entry.index.deleting) return false;
    const { metadata, data } = decodeEntry(entry) as Secret;
    if (metadata.labels?.[invalidSinceLabel] !== undefined) return false;
    return Buffer.from(data?.["token"] ?? "", "base64").toString() === token;
  }

  /**
   * Reports whether the account, and the objects to which the token was bound, are the same as when
   * the token was issued.
   */
  #isThere({ "kubernetes.io": bound }: TokenClaims): boolean {
    const is = (type: ResourceType<never>, namespace: string, object: BoundObject | undefined) => {
      if (object === undefined) return true;
      const entry = this.#deps.store.find(storeKey(type, namespace, object.name));
      return entry?.index.uid === object.uid && !this.#isLongDeleted(entry);
    };
    return (
      is(serviceAccounts as never, bound.namespace, bound.serviceaccount) &&
      is(pods as never, bound.namespace, bound.pod) &&
      is(secrets as never, bound.namespace, bound.secret) &&
      // A token for a pod also names its node, but is bound to the pod.
      (bound.pod !== undefined || is(nodes as never, "", bound.node))
    );
  }

  /**
   * Reports whether the object only waits for the end of its deletion, for example for its
   * finalizers. For a pod, the time is counted from the end of its grace period.
   */
  #isLongDeleted(entry: Entry): boolean {
    const deletedAt = entry.index.deleting ? decodeEntry(entry).metadata.deletionTimestamp : undefined;
    return deletedAt !== undefined && parseTimestamp(deletedAt) + deletedLeewayMs < this.#deps.clock.nowMs();
  }
}

function userName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

function userOfSecret({ namespace, accountName, accountUid }: SecretToken): UserInfo {
  return {
    name: userName(namespace, accountName),
    uid: accountUid,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
  };
}

function userOf({ jti, "kubernetes.io": bound }: TokenClaims): UserInfo {
  const { namespace, serviceaccount, pod, node } = bound;
  const extra = {
    "authentication.kubernetes.io/credential-id": [`JTI=${jti}`],
    ...(pod
      ? {
          "authentication.kubernetes.io/pod-name": [pod.name],
          "authentication.kubernetes.io/pod-uid": [pod.uid],
        }
      : {}),
    ...(node
      ? {
          "authentication.kubernetes.io/node-name": [node.name],
          "authentication.kubernetes.io/node-uid": [node.uid],
        }
      : {}),
  };
  return {
    name: userName(namespace, serviceaccount.name),
    uid: serviceaccount.uid,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
    extra,
  };
}
