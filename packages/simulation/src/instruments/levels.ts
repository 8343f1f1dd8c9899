import type { Gauge, Labels, Metrics } from "@kintsugi/api";
import { silentMetrics } from "@kintsugi/api";
import type { Incarnation } from "../process/incarnation.ts";

/** The present fill level of a part of a process. */
export interface Level {
  /** The service, or the node. */
  readonly owner: string;
  /** The name of the part: the label `name` of a work queue. */
  readonly name: string;
  readonly value: number;
}

/** The only gauge that is recorded: keys that wait in the queues of controllers. */
const gaugeName = "workqueue_depth";

/**
 * The fill levels of the work queues of all running processes, from their metrics. All other
 * metrics are dropped.
 */
export class Levels {
  readonly #levels = new Map<Map<string, number>, string>();

  /** Returns the metrics of one incarnation of a process. */
  metricsOf(owner: string, incarnation: Incarnation): Metrics {
    const values = new Map<string, number>();
    if (!incarnation.ended) {
      this.#levels.set(values, owner);
      incarnation.onEnd(() => this.#levels.delete(values));
    }
    const gauge: Gauge = {
      set: (value: number, { name = "" }: Labels = {}) => void values.set(name, value),
      remove: ({ name = "" }: Labels) => void values.delete(name),
      reset: () => values.clear(),
    };
    return {
      ...silentMetrics,
      gauge: (definition) => (definition.name === gaugeName ? gauge : silentMetrics.gauge(definition)),
    };
  }

  *all(): Iterable<Level> {
    for (const [values, owner] of this.#levels) for (const [name, value] of values) yield { owner, name, value };
  }
}
