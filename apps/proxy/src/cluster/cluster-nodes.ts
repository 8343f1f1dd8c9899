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
  /** Reports whether a Service has an external address now. */
  isWanted(): boolean;
  /** Called when the networks of the nodes have changed, or are known. */
  onChange(): void;
}

const waitMaxMs = 10_000;
const pollMs = 50;

/**
 * The addresses of all Nodes, which no Service may take. They are followed only while a Service has
 * an external address: a cluster without any pays nothing for it.
 */
export class ClusterNodes {
  readonly #deps: ClusterNodesDeps;
  readonly #waiter = new Waiter();
  #followed: Informer<Node> | undefined;
  #stop: AbortController | undefined;

  constructor(deps: ClusterNodesDeps) {
    this.#deps = deps;
  }

  /** Undefined until they are known. */
  list(): readonly Node[] | undefined {
    return this.#followed?.synced === true ? this.#followed.list() : undefined;
  }

  /** Services have changed: the Nodes may have become wanted, or be wanted no more. */
  look(): void {
    if (!this.#deps.isWanted()) this.#stop?.abort();
    this.#waiter.wake();
  }

  /**
   * Resolves when the Nodes are known, or not wanted: rules of an earlier process for external
   * addresses stay until then. When the Nodes cannot be read, all other rules are written after 10
   * s.
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

/** A Node has some 10 KB, of which its images are the most. */
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
