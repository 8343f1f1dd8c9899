import type { Clock } from "@kintsugi/clock";
import type { CommittedStore } from "@kintsugi/simulation";

export interface QuietDeps {
  clock: Pick<Clock, "monotonicMs">;
  store: Pick<CommittedStore, "subscribe">;
  /**
   * Reports whether all machines run and are connected, and the cluster itself is not affected by a
   * fault.
   */
  isWhole: () => boolean;
}

/**
 * Heartbeats, which change all the time. If a Node has problems, the cluster is not quiet for other
 * reasons: the machine is off, disconnected, or affected by a fault.
 */
const heartbeats: ReadonlySet<string> = new Set(["coordination.k8s.io/leases", "core/nodes"]);
/** The longest pause between two steps of a busy controller that sets no timer. */
const quietMs = 5_000;

/** Detects whether anything except routine happens in a cluster. */
export class Quiet {
  readonly #deps: QuietDeps;
  #changedMs: number;

  constructor(deps: QuietDeps) {
    this.#deps = deps;
    this.#changedMs = deps.clock.monotonicMs();
    deps.store.subscribe((changes) => {
      if (changes.some(({ resource }) => !heartbeats.has(resource))) this.#changedMs = deps.clock.monotonicMs();
    });
  }

  get isQuiet(): boolean {
    return this.#deps.clock.monotonicMs() - this.#changedMs >= quietMs && this.#deps.isWhole();
  }
}
