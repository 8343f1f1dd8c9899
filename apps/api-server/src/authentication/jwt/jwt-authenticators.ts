import { createHash } from "node:crypto";
import type { Logger } from "@kintsugi/api";
import { type Clock, LruMap } from "@kintsugi/clock";
import type { UserInfo } from "../../authorization/authorization.ts";
import { type DocumentReader, IssuerKeys } from "./issuer-keys.ts";
import type { JwtSettings } from "./jwt-settings.ts";
import { checkClaims, mapClaims, TokenRefused } from "./map-claims.ts";
import { isJwtSignedBy, readJwt } from "./signed-jwt.ts";

interface Deps {
  clock: Clock;
  log: Logger;
  documents: DocumentReader;
}

interface Issuer {
  readonly settings: JwtSettings;
  readonly keys: IssuerKeys;
}

/**
 * Validated tokens: decisions are cached by the user's object, and verification takes longer than
 * the rest of a small request. The oldest tokens are evicted first.
 */
const knownMax = 10_000;

/** Authenticates users by the tokens of configured issuers. */
export class JwtAuthenticators {
  readonly #deps: Deps;
  readonly #issuers: ReadonlyMap<string, Issuer>;
  readonly #known = new LruMap<string, { user: UserInfo; generation: number }>(knownMax);

  constructor(deps: Deps, settings: readonly JwtSettings[]) {
    this.#deps = deps;
    this.#issuers = new Map(
      settings.map((each) => [each.issuer.url, { settings: each, keys: new IssuerKeys(deps, each.issuer) }]),
    );
  }

  /** Keeps the issuers' keys up to date until the signal aborts. */
  get loops(): readonly ((signal: AbortSignal) => Promise<void>)[] {
    return [...this.#issuers.values()].map(
      ({ keys }) =>
        (signal) =>
          keys.run(signal),
    );
  }

  /**
   * Returns the user of a token; undefined for a token that is not valid or has no known issuer.
   */
  authenticate(token: string): UserInfo | undefined {
    const jwt = readJwt(token);
    const issuer = typeof jwt?.claims["iss"] === "string" ? this.#issuers.get(jwt.claims["iss"]) : undefined;
    if (jwt === undefined || issuer === undefined) return undefined;
    const { settings, keys } = issuer;
    try {
      // A cached token can expire.
      checkClaims(jwt.claims, settings, this.#deps.clock.nowMs());
      const digest = createHash("sha256").update(token).digest("base64");
      const known = this.#known.get(digest);
      if (known?.generation === keys.generation) return known.user;
      if (!settings.algorithms.includes(jwt.algorithm)) throw new TokenRefused(`it is signed with ${jwt.algorithm}`);
      if (!keys.find(jwt.keyId).some((key) => isJwtSignedBy(jwt, key))) throw new TokenRefused("no key verifies it");
      const user = mapClaims(jwt.claims, settings);
      this.#known.set(digest, { user, generation: keys.generation });
      return user;
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      this.#deps.log.debug("token of an issuer rejected", { issuer: settings.issuer.url, why: error.message });
      return undefined;
    }
  }
}
