import type { Counter, Labels, Metrics, ResourceType } from "@kintsugi/api";

/** The sizes of one page of a list. */
export interface ListedCounts {
  /** The number of objects that were read from memory. */
  readonly fetched: number;
  /** The number of these objects that were compared with a selector. */
  readonly evaluated: number;
  readonly returned: number;
}

/**
 * The work of lists, under upstream's names. A selector that matches few objects reads many
 * objects.
 */
export class ListCounts {
  readonly #lists: Counter;
  readonly #fetched: Counter;
  readonly #evaluated: Counter;
  readonly #returned: Counter;
  /** Metrics recognize their labels by identity; one entry for each served type. */
  readonly #labels = new WeakMap<ResourceType, Labels>();

  constructor(metrics: Metrics) {
    const counter = (name: string, help: string) =>
      metrics.counter({ name: `apiserver_storage_list_${name}_total`, help, labels: ["group", "resource"] });
    this.#lists = metrics.counter({
      name: "apiserver_storage_list_total",
      help: "Number of LIST requests served from storage.",
      labels: ["group", "resource"],
    });
    this.#fetched = counter("fetched_objects", "Number of objects read from storage to serve LIST requests.");
    this.#evaluated = counter("evaluated_objects", "Number of objects tested to serve LIST requests from storage.");
    this.#returned = counter("returned_objects", "Number of objects returned for LIST requests from storage.");
  }

  listed(type: ResourceType, { fetched, evaluated, returned }: ListedCounts): void {
    const labels = this.#labels.get(type) ?? { group: type.group, resource: type.resource };
    this.#labels.set(type, labels);
    this.#lists.add(1, labels);
    this.#fetched.add(fetched, labels);
    this.#evaluated.add(evaluated, labels);
    this.#returned.add(returned, labels);
  }
}
