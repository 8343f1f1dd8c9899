import type { ExactQuantity, ResourceQuotaSpec } from "@kintsugi/api";
import { addTo, type Amounts, zero } from "./amounts.ts";
import { isInScope } from "./quota-scopes.ts";
import type { QuotaUsage } from "./quota-usage.ts";

/** The sum of objects' usage for one quota, updated object by object. */
export class UsageTotal {
  readonly #spec: ResourceQuotaSpec;
  readonly #names: readonly string[];
  readonly #sum = new Map<string, ExactQuantity>();

  constructor(spec: ResourceQuotaSpec) {
    this.#spec = spec;
    this.#names = Object.keys(spec.hard ?? {});
    for (const name of this.#names) this.#sum.set(name, zero);
  }

  add(usage: QuotaUsage): void {
    this.#change(usage, 1n);
  }

  remove(usage: QuotaUsage): void {
    this.#change(usage, -1n);
  }

  get used(): Amounts {
    return this.#sum;
  }

  #change(usage: QuotaUsage, times: 1n | -1n): void {
    if (!isInScope(this.#spec, usage)) return;
    const counted = new Map<string, ExactQuantity>();
    for (const name of this.#names) {
      const amount = usage.amounts.get(name);
      if (amount !== undefined) counted.set(name, amount);
    }
    addTo(this.#sum, counted, times);
  }
}
