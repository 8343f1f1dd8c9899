import type { Clock } from "@kintsugi/clock";
import { createAccount, createOperator } from "./nkeys.ts";
import { accountJwt, isUserPublicKey, operatorJwt, publicKeyOf, userJwt } from "./nats-jwt.ts";
import { type BusCaller, permissionsFor, publisherPermissions } from "./permissions.ts";

/**
 * The secret keys of a cluster's bus: the operator's key is needed once, and the API server keeps
 * the account's key.
 */
export interface BusSeeds {
  operatorSeed: string;
  accountSeed: string;
}

export function createBusSeeds(): BusSeeds {
  const text = (seed: Uint8Array) => Buffer.from(seed).toString("utf8");
  return { operatorSeed: text(createOperator().getSeed()), accountSeed: text(createAccount().getSeed()) };
}

/** The configuration by which nats-server trusts the keys. */
export interface BusTrust {
  operatorJwt: string;
  accountPublicKey: string;
  accountJwt: string;
}

export function trustOf(seeds: BusSeeds, issuedAtMs: number): BusTrust {
  const accountPublicKey = publicKeyOf(seeds.accountSeed);
  return {
    operatorJwt: operatorJwt(seeds.operatorSeed, { issuedAtMs }),
    accountPublicKey,
    accountJwt: accountJwt(seeds.operatorSeed, accountPublicKey, { issuedAtMs }),
  };
}

/** Signs the subscriptions that processes may make on the bus. */
export interface BusAuthority {
  /** A token for the caller's key, or the reason for its absence. */
  issue(caller: BusCaller, publicKey: string): { jwt: string } | { refused: "badKey" | "notAllowed" };
  /** The token of the API server's own relay. */
  issuePublisher(publicKey: string): string;
}

/** A token is valid for a day; its holder requests the next token after half of this time. */
export const busTokenLifetimeMs = 24 * 3600 * 1000;

export function createBusAuthority(
  deps: { clock: Clock },
  options: { accountSeed: string; cluster: string },
): BusAuthority {
  const { accountSeed, cluster } = options;
  const times = () => {
    const issuedAtMs = deps.clock.nowMs();
    return { issuedAtMs, expiresAtMs: issuedAtMs + busTokenLifetimeMs };
  };
  return {
    issue(caller, publicKey) {
      if (!isUserPublicKey(publicKey)) return { refused: "badKey" };
      const permissions = permissionsFor(cluster, caller);
      if (!permissions) return { refused: "notAllowed" };
      return { jwt: userJwt(accountSeed, { publicKey, name: caller.name, permissions }, times()) };
    },
    issuePublisher: (publicKey) =>
      userJwt(accountSeed, { publicKey, name: "kube-apiserver", permissions: publisherPermissions(cluster) }, times()),
  };
}
