import { get } from "node:http";
import type { Clock } from "@kintsugi/clock";
import type { LoadBalancerSpec } from "@kintsugi/cloud";
import type { BalancerTarget } from "./choose-target.ts";
import { afterCheck, type TargetHealth, unknownHealth } from "./health.ts";

export interface HealthCheckOptions {
  /** The interval between two checks of a target. */
  readonly checkIntervalMs: number;
  /** The time that the answer to a check may take. */
  readonly checkTimeoutMs: number;
}

export interface HealthCheckDeps {
  readonly clock: Clock;
  /** Called when a target begins or stops to get connections. */
  readonly onChange: (target: BalancerTarget, health: TargetHealth) => void;
}

/** Checks the targets of one load balancer. */
export class TargetChecks {
  readonly #deps: HealthCheckDeps;
  readonly #options: HealthCheckOptions;
  readonly #health = new Map<string, TargetHealth>();
  #spec: LoadBalancerSpec;

  constructor(deps: HealthCheckDeps, options: HealthCheckOptions, spec: LoadBalancerSpec) {
    this.#deps = deps;
    this.#options = options;
    this.#spec = spec;
  }

  /** The targets that get connections. */
  healthy(): BalancerTarget[] {
    return this.#spec.targets.filter(({ address }) => this.#health.get(address)?.healthy === true);
  }

  /** Checks the targets of the new spec immediately. */
  change(spec: LoadBalancerSpec): void {
    this.#spec = spec;
    const addresses = new Set(spec.targets.map(({ address }) => address));
    for (const address of this.#health.keys()) if (!addresses.has(address)) this.#health.delete(address);
    void this.#checkAll();
  }

  /** Checks until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#checkAll();
      await this.#deps.clock.sleep(this.#options.checkIntervalMs, signal).catch(() => {});
    }
  }

  async #checkAll(): Promise<void> {
    const { targets, healthCheck } = this.#spec;
    await Promise.all(
      targets.map(async (target) => {
        const { address } = target;
        const succeeded = await isHealthy({ host: address, ...healthCheck }, this.#options.checkTimeoutMs);
        // The target may have been removed in the meantime.
        if (!this.#spec.targets.some((each) => each.address === address)) return;
        const before = this.#health.get(address) ?? unknownHealth;
        const after = afterCheck(before, succeeded);
        this.#health.set(address, after);
        if (before.healthy !== after.healthy) this.#deps.onChange(target, after);
      }),
    );
  }
}

function isHealthy(target: { host: string; port: number; path: string }, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = get({ ...target, agent: false, timeout: timeoutMs }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on("timeout", () => asked.destroy());
    asked.on("error", () => resolve(false));
  });
}
