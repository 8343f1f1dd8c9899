import type { Gauge, Logger, Metrics } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { CommittedChange, Store } from "@kintsugi/store";
import type { ChangePublisher } from "@kintsugi/watch-stream";
import { valueWithoutManagers } from "../resources/encoding.ts";
import { parseStoreKey } from "../resources/keys.ts";
import type { Registry } from "../resources/registry.ts";
import { nodeOf } from "./node-revisions.ts";

export interface RelayDeps {
  store: Store;
  publisher: ChangePublisher;
  registry: Registry;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /**
   * Returns false while another server publishes, or this server may lag behind it; absent where
   * there is no other server.
   */
  mayPublish?: (() => boolean) | undefined;
}

/**
 * Interval at which the last revision of every resource is published, so that a lost last change is
 * detected.
 */
const markIntervalMs = 5_000;
/**
 * The time between tries while the bus is unreachable. Soon after it is reachable, as after a start
 * of this server, readers detect the changes that they missed.
 */
const retryIntervalMs = 500;

/**
 * Publishes every committed change to the bus, in revision order. The bus only notifies: a message
 * that cannot be published now is not stored for later, and readers detect the gap by the revisions
 * in the next message or mark.
 */
export class Relay {
  readonly #deps: RelayDeps;
  readonly #connected: Gauge;
  #broken = false;

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    this.#connected = deps.metrics.gauge({
      name: "kintsugi_relay_connected",
      help: "1 while changes reach the bus, 0 while readers must detect them over HTTP.",
    });
  }

  /** `previousOfNode` is the revision of the previous change of the same node. */
  publish(change: CommittedChange, previousOfNode: number): void {
    const { group, resource, namespace, name } = parseStoreKey(change.entry.key);
    const kind = this.#deps.registry.findStored(change.resource)?.kind;
    this.#attempt(() =>
      this.#deps.publisher.publish({
        group,
        resource,
        namespace,
        name,
        nodeName: nodeOf(this.#deps.registry, change.resource, change.entry),
        type: change.type,
        revision: change.revision,
        previousOfResource: change.previousOfResource,
        previousOfNode,
        object: valueWithoutManagers(change.entry),
        // A kind that has just been removed has no known exceptions.
        isSecret: kind === undefined || kind.exceptions.isSecret === true,
      }),
    );
  }

  /** Publishes the marks until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#publishMarks();
      try {
        await this.#deps.clock.sleep(this.#broken ? retryIntervalMs : markIntervalMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
    }
  }

  #publishMarks(): void {
    // Resources that have never changed are included, because a reader interprets silence as a bus
    // failure.
    const marks = this.#deps.registry.resources.flatMap(({ type, storeName, view }) =>
      view === undefined
        ? [{ group: type.group, resource: type.resource, revision: this.#deps.store.lastRevisionOf(storeName) }]
        : [],
    );
    this.#attempt(() => this.#deps.publisher.publishMarks(marks));
  }

  #attempt(publish: () => void): void {
    if (this.#deps.mayPublish?.() === false) return;
    try {
      publish();
      if (this.#broken) this.#deps.log.info("changes reach the bus again");
      this.#broken = false;
    } catch (error) {
      if (!this.#broken) this.#deps.log.warn("changes do not reach the bus", { error });
      this.#broken = true;
    }
    this.#connected.set(this.#broken ? 0 : 1);
  }
}
