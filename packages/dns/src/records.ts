import { isIPv4 } from "node:net";
import type { SoaAnswer, SrvAnswer, StringAnswer, TxtAnswer } from "dns-packet";

/** The records that this server creates. */
export type ResourceRecord = StringAnswer | SrvAnswer | SoaAnswer | TxtAnswer;

export interface ZoneOptions {
  /** The cluster's domain, in lower case and without leading or trailing dots: "cluster.local". */
  domain: string;
  /** Time that a record may be cached. CoreDNS's default: 5 s. */
  ttlSeconds: number;
  /** The addresses at which pods query names. */
  servers: readonly string[];
}

/**
 * The implemented version of the specification:
 * https://github.com/kubernetes/dns/blob/master/docs/specification.md
 */
export const schemaVersion = "1.1.0";

/** Creates records with one time to live. */
export class Records {
  readonly #ttl: number;
  readonly #domain: string;

  constructor({ domain, ttlSeconds }: ZoneOptions) {
    this.#ttl = ttlSeconds;
    this.#domain = domain;
  }

  a(name: string, addresses: readonly string[]): ResourceRecord[] {
    return addresses.filter((address) => isIPv4(address)).map((data) => this.#text("A", name, data));
  }

  cname(name: string, target: string): ResourceRecord {
    return this.#text("CNAME", name, target);
  }

  ptr(name: string, target: string): ResourceRecord {
    return this.#text("PTR", name, target);
  }

  /** All records have the same priority and weight: a client chooses any. */
  srv(name: string, { port, target, weight }: { port: number; target: string; weight: number }): ResourceRecord {
    return { type: "SRV", class: "IN", name, ttl: this.#ttl, data: { priority: 0, weight, port, target } };
  }

  txt(name: string, text: string): ResourceRecord {
    return { type: "TXT", class: "IN", name, ttl: this.#ttl, data: text };
  }

  ns(): ResourceRecord {
    return this.#text("NS", this.#domain, `ns.dns.${this.#domain}`);
  }

  /**
   * The time for which an absence may be cached: `minimum`. The other times have CoreDNS's values.
   * They are for zone transfers, which are not supported.
   */
  soa(): ResourceRecord {
    const times = { refresh: 7200, retry: 1800, expire: 86_400, minimum: this.#ttl };
    const data = { mname: `ns.dns.${this.#domain}`, rname: `hostmaster.${this.#domain}`, serial: 1, ...times };
    return { type: "SOA", class: "IN", name: this.#domain, ttl: this.#ttl, data };
  }

  #text(type: StringAnswer["type"], name: string, data: string): ResourceRecord {
    return { type, class: "IN", name, ttl: this.#ttl, data };
  }
}
