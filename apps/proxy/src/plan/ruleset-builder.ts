import type { AddressSet, Ruleset, VerdictMap } from "../ruleset/ruleset.ts";

/** Collects a ruleset. The first Service that claims an address keeps it. */
export class RulesetBuilder {
  readonly #chains = new Map<string, string[]>();
  readonly #maps: Record<VerdictMap, Map<string, string>> = {
    "service-ips": new Map(),
    "service-nodeports": new Map(),
    "no-endpoint-services": new Map(),
    "no-endpoint-nodeports": new Map(),
    "firewall-ips": new Map(),
  };
  readonly #sets: Record<AddressSet, Set<string>> = { "cluster-ips": new Set(), "nodeport-ips": new Set() };
  readonly #affinitySets = new Map<string, number>();

  ensureChain(chain: string): void {
    if (!this.#chains.has(chain)) this.#chains.set(chain, []);
  }

  addRule(chain: string, rule: string): void {
    this.ensureChain(chain);
    this.#chains.get(chain)?.push(rule);
  }

  addVerdict(map: VerdictMap, key: string, verdict: string): void {
    if (!this.#maps[map].has(key)) this.#maps[map].set(key, verdict);
  }

  addAddress(set: AddressSet, address: string): void {
    this.#sets[set].add(address);
  }

  addAffinitySet(name: string, seconds: number): void {
    this.#affinitySets.set(name, seconds);
  }

  build(): Ruleset {
    return { chains: this.#chains, maps: this.#maps, sets: this.#sets, affinitySets: this.#affinitySets };
  }
}
