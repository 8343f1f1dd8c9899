import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { ContainerRuntime, RuntimeHandler } from "@kintsugi/cri";
import { Listeners } from "../../base/listeners.ts";

/**
 * Upstream's values: the runtime's status is read every 5 s, and the runtime counts as down after
 * 30 s without a good answer.
 */
const checkIntervalMs = 5000;
const silenceMaxMs = 30_000;

export interface RuntimeHealthDeps {
  runtime: ContainerRuntime;
  clock: Clock;
  log: Logger;
}

/** Follows whether the runtime and its network work, by the runtime's own status. */
export class RuntimeHealth {
  readonly #deps: RuntimeHealthDeps;
  readonly #changed = new Listeners();
  #lastGoodMs: number | undefined;
  #handlers: readonly RuntimeHandler[] = [];
  #obeysGroupsPolicy = false;
  #runtimeError: string | undefined;
  #networkError: string | undefined = "container runtime status check may not have completed yet";

  constructor(deps: RuntimeHealthDeps) {
    this.#deps = deps;
  }

  /** Calls `handler` when the result has changed, because the node's status has to be updated. */
  onChanged(handler: () => void): void {
    this.#changed.add(handler);
  }

  /** Returns the reason why the node cannot run pods, in upstream's words. */
  errors(): string[] {
    const silentMs = this.#deps.clock.monotonicMs() - (this.#lastGoodMs ?? -Infinity);
    const down = silentMs > silenceMaxMs ? "container runtime is down" : undefined;
    return [down, this.#runtimeError, this.#networkError].filter((each) => each !== undefined);
  }

  /** Reports that the runtime implements `supplementalGroupsPolicy`, by its last status. */
  obeysGroupsPolicy(): boolean {
    return this.#obeysGroupsPolicy;
  }

  /** Returns the handlers in the runtime's last status. */
  handlers(): readonly RuntimeHandler[] {
    return this.#handlers;
  }

  networkError(): string | undefined {
    return this.#networkError;
  }

  async run(signal: AbortSignal): Promise<void> {
    let before = this.errors().join();
    while (!signal.aborted) {
      await this.check(signal);
      const now = this.errors().join();
      if (now !== before) this.#changed.emit();
      before = now;
      await this.#deps.clock.sleep(checkIntervalMs, signal, "routine").catch(() => {});
    }
  }

  async check(signal: AbortSignal): Promise<void> {
    const { runtime, clock, log } = this.#deps;
    try {
      const { conditions, handlers, obeysGroupsPolicy } = await runtime.status(signal);
      this.#handlers = handlers;
      this.#obeysGroupsPolicy = obeysGroupsPolicy;
      const runtimeReady = conditions.find(({ type }) => type === "RuntimeReady");
      const networkReady = conditions.find(({ type }) => type === "NetworkReady");
      this.#runtimeError = runtimeReady?.status
        ? undefined
        : notReady("container runtime", "RuntimeReady", runtimeReady);
      this.#networkError = networkReady?.status
        ? undefined
        : notReady("container runtime network", "NetworkReady", networkReady);
      if (runtimeReady?.status) this.#lastGoodMs = clock.monotonicMs();
    } catch (error) {
      if (!signal.aborted) log.warn("runtime did not answer", { error });
    }
  }
}

function notReady(what: string, type: string, condition: { reason: string; message: string } | undefined): string {
  return `${what} not ready: ${type}=false reason:${condition?.reason ?? ""} message:${condition?.message ?? ""}`;
}
