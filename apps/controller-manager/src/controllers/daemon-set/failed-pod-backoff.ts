import { backoffDelayMs, type Clock } from "@kintsugi/clock";

/** Upstream's delays: 1 s to 15 min for a node whose pods fail repeatedly. */
const delays = { initialMs: 1000, maxMs: 15 * 60_000, factor: 2 };

/** The deletions of a node's failed pods, and the time of the last deletion. */
interface Failures {
  count: number;
  lastMs: number;
}

/**
 * Retains a node's failed pods for a while before they are replaced, because a kubelet that rejects
 * pods would otherwise receive one pod after another. A restart may lose this memory, because it
 * only ever delays deletions.
 */
export class FailedPodBackoff {
  readonly #clock: Clock;
  /**
   * One entry per node whose pods have failed; entries are removed with nodes and with generations.
   */
  readonly #nodes = new Map<string, Failures>();

  constructor(deps: { clock: Clock }) {
    this.#clock = deps.clock;
  }

  /**
   * Returns the time until a failed pod of the node may be deleted; 0 when it may be deleted now.
   */
  waitMs(node: string): number {
    const failures = this.#failures(node);
    if (failures === undefined) return 0;
    return Math.max(0, failures.lastMs + backoffDelayMs(failures.count, delays) - this.#clock.monotonicMs());
  }

  /** Records that a failed pod of the node is deleted. */
  note(node: string): void {
    const count = (this.#failures(node)?.count ?? 0) + 1;
    this.#nodes.set(node, { count, lastMs: this.#clock.monotonicMs() });
  }

  forget(node: string): void {
    this.#nodes.delete(node);
  }

  /** Pods of a new template may succeed. */
  reset(): void {
    this.#nodes.clear();
  }

  /** A node without a failure for twice the longest delay starts again with the shortest delay. */
  #failures(node: string): Failures | undefined {
    const failures = this.#nodes.get(node);
    if (failures === undefined || this.#clock.monotonicMs() - failures.lastMs <= 2 * delays.maxMs) return failures;
    this.#nodes.delete(node);
    return undefined;
  }
}
