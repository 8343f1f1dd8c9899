import { parseTimestamp, type ServiceAccountTokenProjection, serviceAccounts, type TokenRequest } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import type { Logger } from "@kintsugi/api";
import type { BoundPod } from "../../model/bound-pod.ts";
import { isExpired, type IssuedToken, needsRefresh, refreshJitterMaxMs } from "./token-age.ts";

export interface TokenKeeperDeps {
  client: Client;
  clock: Clock;
  random: Random;
  log: Logger;
}

/** The lifetime for a projection that does not set a lifetime. */
const expirationSecondsDefault = 3600;

/** The tokens of this node's pods, each cached until it has to be replaced (token_manager.go). */
export class TokenKeeper {
  readonly #deps: TokenKeeperDeps;
  /** The tokens by pod, then by their request. A pod's tokens are removed with the pod. */
  readonly #tokens = new Map<string, Map<string, IssuedToken>>();

  constructor(deps: TokenKeeperDeps) {
    this.#deps = deps;
  }

  /**
   * @throws ApiError, or Error when there is no valid token. A token that cannot be renewed is used
   * until it expires.
   */
  async get(pod: BoundPod, wanted: ServiceAccountTokenProjection): Promise<string> {
    const { clock, random, log } = this.#deps;
    const { uid } = pod.metadata;
    const key = `${wanted.audience ?? ""} ${wanted.expirationSeconds ?? expirationSecondsDefault}`;
    const kept = this.#tokens.get(uid)?.get(key);
    const jitterMs = random.float() * refreshJitterMaxMs;
    if (kept && !needsRefresh(kept, clock.nowMs(), jitterMs)) return kept.token;
    try {
      const issued = await this.#request(pod, wanted);
      const ofPod = this.#tokens.get(uid) ?? new Map<string, IssuedToken>();
      this.#tokens.set(uid, ofPod.set(key, issued));
      return issued.token;
    } catch (error) {
      if (!kept) throw new Error(`failed to fetch token: ${(error as Error).message}`, { cause: error });
      if (isExpired(kept, clock.nowMs())) {
        throw new Error(`token expired and refresh failed: ${(error as Error).message}`, { cause: error });
      }
      log.warn("token not renewed", { pod: `${pod.metadata.namespace}/${pod.metadata.name}`, error });
      return kept.token;
    }
  }

  forget(uid: string): void {
    this.#tokens.delete(uid);
  }

  async #request(pod: BoundPod, wanted: ServiceAccountTokenProjection): Promise<IssuedToken> {
    const { namespace, name: podName, uid } = pod.metadata;
    const name = pod.spec.serviceAccountName || "default";
    const expirationSeconds = wanted.expirationSeconds ?? expirationSecondsDefault;
    const body: TokenRequest = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      metadata: {},
      spec: {
        ...(wanted.audience ? { audiences: [wanted.audience] } : {}),
        expirationSeconds,
        boundObjectRef: { kind: "Pod", apiVersion: "v1", name: podName, uid },
      },
    };
    const answer = (await this.#deps.client.create(serviceAccounts, body as never, {
      subresource: "token",
      namespace,
      name,
    })) as TokenRequest;
    const { token, expirationTimestamp } = answer.status ?? {};
    if (!token || !expirationTimestamp) throw new Error(`no token for service account ${namespace}/${name}`);
    const validMs = (answer.spec?.expirationSeconds ?? expirationSeconds) * 1000;
    return { token, expiresAtMs: parseTimestamp(expirationTimestamp), validMs };
  }
}
