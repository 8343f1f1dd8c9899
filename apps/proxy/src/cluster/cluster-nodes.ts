import { type ChangeStream, type Logger, type Node, nodeNetworks, nodes, sameJson } from "@kintsugi/api";
import { createInformer, type Informer, type ObjectReader } from "@kintsugi/client";
import { type Clock, type Random, Waiter } from "@kintsugi/clock";
import { runTogether } from "@kintsugi/controller";

export interface ClusterNodesDeps {
  client: ObjectReader;
  changes?: ChangeStream | undefined;
  clock: Clock;
  random: Random;
  log: Logger;
  /** Reports whether any Service currently has an external address. */
  isWanted(): boolean;
  /** Called when the networks of the nodes have changed, or were first read. */
  onChange(): void;
}

const waitMaxMs = 10_000;
const pollMs = 50;

/**
 * The addresses of all Nodes, which a Service may not use. They are followed only while a Service
 * has an external address, so that other clusters have no cost.
 */
export class ClusterNodes {
  readonly #deps: ClusterNodesDeps;
  readonly #waiter = new Waiter();
  #followed: Informer<Node> | undefined;
  #stop: AbortController | undefined;

  constructor(deps: ClusterNodesDeps) {
    this.#deps = deps;
  }

  /** Undefined before they were read. */
  list(): readonly Node[] | undefined {
    return this.#followed?.synced === true ? this.#followed.list() : undefined;
  }

  /**
   * Called when Services have changed, because the Nodes may now be needed or no longer be needed.
   */
  look(): void {
    if (!this.#deps.isWanted()) this.#stop?.abort();
    this.#waiter.wake();
  }

  /**
   * Resolves when the Nodes have been read, or are not needed. Until that time, the rules that an
   * earlier process wrote for external addresses remain. When the Nodes cannot be read, all other
   * rules are written after 10 s.
   */
  async waitUntilKnown(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const untilMs = clock.monotonicMs() + waitMaxMs;
    while (!signal.aborted && this.#deps.isWanted() && this.list() === undefined && clock.monotonicMs() < untilMs)
      await clock.sleep(pollMs, signal).catch(() => {});
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#deps.isWanted()) await this.#follow(signal);
      else await this.#waiter.wait(signal);
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const informer = createInformer(this.#deps, { type: nodes, project: withNetworksOnly });
    this.#followed = informer;
    const stop = new AbortController();
    this.#stop = stop;
    const stopListening = informer.onChange((change) => {
      if (change.type === "modified" && sameJson(nodeNetworks(change.before), nodeNetworks(change.object))) return;
      this.#deps.onChange();
    });
    try {
      const announce = async (ends: AbortSignal) => {
        await informer.waitForSync(ends);
        this.#deps.onChange();
      };
      await runTogether(AbortSignal.any([signal, stop.signal]), [(ends) => informer.run(ends), announce]);
    } finally {
      stopListening();
      this.#followed = undefined;
      this.#stop = undefined;
    }
  }
}

/** A Node has about 10 KB, most of it for its images. */
function withNetworksOnly({ apiVersion, kind, metadata, spec, status }: Node): Node {
  const { podCIDR, podCIDRs } = spec ?? {};
  return {
    apiVersion,
    kind,
    metadata,
    spec: { ...(podCIDR === undefined ? {} : { podCIDR }), ...(podCIDRs === undefined ? {} : { podCIDRs }) },
    status: { addresses: status?.addresses ?? [] },
  };
}
