import { parseForeignJson } from "@kintsugi/api";
import type { Logger } from "@kintsugi/api";
import { type Clock, Waiter } from "@kintsugi/clock";
import { z } from "zod";
import type { IssuerSettings } from "./jwt-settings.ts";
import { parseKeySet, type VerificationKey } from "./signed-jwt.ts";

/** Reads documents of issuers. */
export interface DocumentReader {
  /**
   * @param ca PEM of the authority that signs the server; undefined: the authorities of the
   * machine.
   * @throws Error where the answer is not a document with status 200.
   */
  read(url: string, ca: string | undefined, signal: AbortSignal): Promise<string>;
}

interface IssuerKeysDeps {
  clock: Clock;
  log: Logger;
  documents: DocumentReader;
}

/** Longest time for which a key is accepted after its issuer has withdrawn it. */
const refreshMs = 5 * 60_000;
/** Tokens with unknown keys cause at most one read in this time; upstream's interval. */
const pauseMs = 10_000;
const readTimeoutMs = 30_000;

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.string() });

/**
 * The keys of one issuer. A loop reads them, so that requests never wait for another server. A
 * token with an unknown key is rejected, and makes the loop read immediately.
 */
export class IssuerKeys {
  /** A number that changes with the keys. A result of an earlier generation is no longer valid. */
  generation = 0;
  readonly #deps: IssuerKeysDeps;
  readonly #issuer: IssuerSettings;
  readonly #waiter = new Waiter();
  #keys: readonly VerificationKey[] = [];
  #readMs = -Infinity;
  #isWanted = false;

  constructor(deps: IssuerKeysDeps, issuer: IssuerSettings) {
    this.#deps = deps;
    this.#issuer = issuer;
  }

  /** The keys that may have signed a token; "" means that the token does not name a key. */
  find(id: string): readonly VerificationKey[] {
    const found = id === "" ? this.#keys : this.#keys.filter((key) => key.id === "" || key.id === id);
    if (found.length === 0) {
      this.#isWanted = true;
      this.#waiter.wake();
    }
    return found;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#isWanted = false;
      const isRead = await this.#read(signal);
      const sinceMs = this.#deps.clock.monotonicMs() - this.#readMs;
      try {
        await this.#deps.clock.sleep(Math.max(0, pauseMs - sinceMs), signal);
      } catch {
        return;
      }
      if (isRead && !this.#isWanted && !signal.aborted) {
        await this.#waiter.waitAtMost(refreshMs - pauseMs, this.#deps.clock, signal);
      }
    }
  }

  async #read(signal: AbortSignal): Promise<boolean> {
    const { clock, log } = this.#deps;
    this.#readMs = clock.monotonicMs();
    const stop = new AbortController();
    const timer = clock.after(readTimeoutMs, () => stop.abort(new Error(`no answer within ${readTimeoutMs / 1000}s`)));
    try {
      const keys = await this.#readKeys(AbortSignal.any([signal, stop.signal]));
      if (!sameKeys(keys, this.#keys)) {
        this.#keys = keys;
        this.generation++;
        log.info("keys of a token issuer read", { issuer: this.#issuer.url, keys: keys.length });
      }
      return true;
    } catch (error) {
      if (!signal.aborted) log.warn("keys of a token issuer not read", { issuer: this.#issuer.url, error });
      return false;
    } finally {
      timer.cancel();
    }
  }

  async #readKeys(signal: AbortSignal): Promise<VerificationKey[]> {
    const { url, discoveryUrl, ca } = this.#issuer;
    const place = discoveryUrl ?? `${url.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const discovery = Discovery.parse(parseForeignJson(await this.#deps.documents.read(place, ca, signal)));
    if (discovery.issuer !== url) throw new Error(`${place} belongs to the issuer ${JSON.stringify(discovery.issuer)}`);
    const keys = parseKeySet(parseForeignJson(await this.#deps.documents.read(discovery.jwks_uri, ca, signal)));
    if (keys.length === 0) throw new Error(`${discovery.jwks_uri} has no key that verifies tokens`);
    return keys;
  }
}

function sameKeys(a: readonly VerificationKey[], b: readonly VerificationKey[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ id, algorithm, key }, index) => {
      const other = b[index];
      return other !== undefined && other.id === id && other.algorithm === algorithm && other.key.equals(key);
    })
  );
}
