import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { LoadBalancer } from "@kintsugi/cloud";
import { Balancer } from "./balancer.ts";
import type { HealthCheckOptions } from "./target-checks.ts";
import type { PassedBalancer } from "./passing/passed-ports.ts";

export interface BalancersDeps {
  clock: Clock;
  log: Logger;
  /** Adds the address to this host; may be repeated. */
  claim: (address: string) => Promise<void>;
  /** Removes the address from this host; may be repeated. */
  release: (address: string) => Promise<void>;
  /** Makes the kernel forward packets of exactly these balancers; may be repeated. */
  pass: (balancers: readonly PassedBalancer[]) => Promise<void>;
}

/** The load balancers of the record that are being served. */
export class Balancers {
  readonly #deps: BalancersDeps;
  readonly #options: HealthCheckOptions;
  readonly #serving = new Map<string, Balancer>();
  #turn: Promise<void> = Promise.resolve();

  constructor(deps: BalancersDeps, options: HealthCheckOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** Serves exactly these balancers. Changes are made one after another. */
  apply(wanted: readonly LoadBalancer[]): Promise<void> {
    this.#turn = this.#turn.then(() => this.#apply(wanted));
    return this.#turn;
  }

  /** Serves until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#deps.clock.sleep(this.#options.checkIntervalMs, signal).catch(() => {});
      // Retries a failed change of the packet filter.
      this.#pass();
    }
    for (const balancer of this.#serving.values()) balancer.close();
    this.#serving.clear();
    await this.#deps.pass([]);
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
      const made = new Balancer({ ...this.#deps, onPassedChange: this.#pass }, this.#options, balancer);
      this.#serving.set(name, made);
      made.start();
    }
    this.#pass();
  }

  readonly #pass = (): void => {
    const passed = [...this.#serving.values()].flatMap((balancer) => balancer.passed ?? []);
    void this.#deps.pass(passed);
  };

  async #try(what: "claim" | "release", address: string): Promise<void> {
    await this.#deps
      [what](address)
      .catch((error: unknown) =>
        this.#deps.log.warn(`cannot ${what} the address of a load balancer`, { address, error }),
      );
  }
}
