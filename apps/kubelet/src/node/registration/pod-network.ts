import type { Logger, Node } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import { AutoResetEvent, type Clock } from "@kintsugi/clock";
import type { ContainerRuntime } from "@kintsugi/cri";
import { Listeners } from "../../base/listeners.ts";
import type { RuntimeHealth } from "../../runtime/observation/runtime-health.ts";

/**
 * Interval at which the runtime's status is read while it sets up its network (upstream's
 * fastStatusUpdateOnce).
 */
const fastCheckMs = 100;
/** Duration of the fast checks; then the regular check, every 5 s, continues. */
const fastChecksMax = 100;
const retryMs = 5000;
/** Only a change of the Node can require work. */
const idleMs = 3_600_000;

export interface PodNetworkDeps {
  runtime: ContainerRuntime;
  clock: Clock;
  log: Logger;
  health: Pick<RuntimeHealth, "check" | "networkError">;
  nodes: Pick<Informer<Node>, "onChange">;
}

/**
 * Passes the range of this node's pods to the runtime after the cluster has assigned it (upstream's
 * updatePodCIDR). A containerd with a template for its network then has a network. Before that, the
 * node is not Ready and pods wait.
 */
export class PodNetwork {
  readonly #deps: PodNetworkDeps;
  readonly #wakeUp: AutoResetEvent;
  readonly #ready = new Listeners();
  #wanted: string;
  #told: string;

  /**
   * An operator who configures the range of the kubelet has also set up the runtime's network, so
   * nothing has to be passed on.
   */
  constructor(deps: PodNetworkDeps, { podCidr }: { podCidr: string }) {
    this.#deps = deps;
    this.#wakeUp = new AutoResetEvent(deps.clock);
    this.#wanted = podCidr;
    this.#told = podCidr;
    if (podCidr === "") deps.nodes.onChange(({ object }) => this.#follow(object));
  }

  /**
   * The range that was passed to the runtime; "" before that. A deleted Node is created again with
   * this range, because pods have addresses in the range.
   */
  get podCidr(): string {
    return this.#told;
  }

  /** Calls `handler` when the network works, because the node's status has to be updated. */
  onReady(handler: () => void): void {
    this.#ready.add(handler);
  }

  #follow({ spec }: Node): void {
    const wanted = (spec?.podCIDRs ?? []).join(",");
    if (wanted === "" || wanted === this.#wanted) return;
    this.#wanted = wanted;
    this.#wakeUp.set();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const isDone = this.#wanted === this.#told || (await this.#tell(this.#wanted, signal));
      await this.#wakeUp.wait(isDone ? idleMs : retryMs, signal);
    }
  }

  async #tell(podCidr: string, signal: AbortSignal): Promise<boolean> {
    const { runtime, clock, log } = this.#deps;
    try {
      await runtime.updatePodCidr(podCidr, signal);
    } catch (error) {
      if (!signal.aborted) log.warn("cannot send the pods' range to the runtime", { podCidr, error });
      return false;
    }
    log.info("sent the pods' range to the runtime", { podCidr });
    this.#told = podCidr;
    for (let checks = 0; checks < fastChecksMax && !signal.aborted; checks++) {
      await this.#deps.health.check(signal);
      if (this.#deps.health.networkError() === undefined) {
        this.#ready.emit();
        break;
      }
      await clock.sleep(fastCheckMs, signal).catch(() => {});
    }
    return true;
  }
}
