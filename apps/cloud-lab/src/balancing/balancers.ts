import type { Logger } from "@kintsugi/api";
import { type Clock, untilAborted } from "@kintsugi/clock";
import type { LoadBalancer } from "@kintsugi/cloud";
import { Balancer, type BalancerOptions } from "./balancer.ts";

export interface BalancersDeps {
  clock: Clock;
  log: Logger;
  /** Makes the address this host's own; may be repeated. */
  claim: (address: string) => Promise<void>;
  /** Gives the address up; may be repeated. */
  release: (address: string) => Promise<void>;
}

/** The load balancers that serve, as the record has them. */
export class Balancers {
  readonly #deps: BalancersDeps;
  readonly #options: BalancerOptions;
  readonly #serving = new Map<string, Balancer>();
  #turn: Promise<void> = Promise.resolve();

  constructor(deps: BalancersDeps, options: BalancerOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** Serves these balancers and no others. Changes are carried out one after another. */
  apply(wanted: readonly LoadBalancer[]): Promise<void> {
    this.#turn = this.#turn.then(() => this.#apply(wanted));
    return this.#turn;
  }

  /** Serves until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await untilAborted(signal);
    for (const balancer of this.#serving.values()) balancer.close();
  }

  async #apply(wanted: readonly LoadBalancer[]): Promise<void> {
    const byName = new Map(wanted.map((balancer) => [balancer.spec.name, balancer]));
    for (const [name, balancer] of this.#serving) {
      if (byName.get(name)?.address === balancer.address) continue;
      balancer.close();
      this.#serving.delete(name);
      await this.#try("release", balancer.address);
    }
    for (const [name, balancer] of byName) {
      const serving = this.#serving.get(name);
      if (serving !== undefined) {
        serving.change(balancer);
        continue;
      }
      await this.#try("claim", balancer.address);
      const made = new Balancer(this.#deps, this.#options, balancer);
      this.#serving.set(name, made);
      made.start();
    }
  }

  async #try(what: "claim" | "release", address: string): Promise<void> {
    await this.#deps
      [what](address)
      .catch((error: unknown) =>
        this.#deps.log.warn(`cannot ${what} the address of a load balancer`, { address, error }),
      );
  }
}
