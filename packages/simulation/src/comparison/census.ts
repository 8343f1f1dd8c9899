import { type ApiObject, controllerOf, isConditionTrue, type Pod } from "@kintsugi/api";
import type { CommittedChange, Store } from "@kintsugi/store";
import { parseValue } from "../reading.ts";
import { normalized } from "./normalized.ts";

/** What two lives of one scenario are compared by. */
export interface EndState {
  /**
   * By store key, or by owner where names are made up: the objects, without what is another each
   * time.
   */
  readonly objects: ReadonlyMap<string, readonly string[]>;
  /** By the same: how many came and went. */
  readonly counts: ReadonlyMap<string, Count>;
}

export interface Count {
  created: number;
  deleted: number;
  /**
   * Of the deleted: those that were taken from a node that was down or gone, as their own condition
   * says.
   */
  disrupted: number;
}

/** What is written all the time, and what only tells of something else. */
const passing: readonly string[] = ["coordination.k8s.io/leases", "core/events", "events.k8s.io/events"];

/** Counts what comes and goes from the beginning, and takes down what is there in the end. */
export class Census {
  readonly #store: Pick<Store, "list" | "subscribe">;
  readonly #counts = new Map<string, Count>();

  constructor({ store }: { store: Pick<Store, "list" | "subscribe"> }) {
    this.#store = store;
    store.subscribe((changes) => {
      for (const change of changes) this.#count(change);
    });
  }

  take(): EndState {
    const objects = new Map<string, string[]>();
    for (const { key, value } of this.#store.list("").entries) {
      const resource = key.split("/", 2).join("/");
      if (passing.includes(resource)) continue;
      const object = parseValue<ApiObject>(value);
      const name = groupOf(key, object);
      objects.set(name, [...(objects.get(name) ?? []), normalized(object)].sort());
    }
    return { objects, counts: new Map([...this.#counts].map(([name, count]) => [name, { ...count }])) };
  }

  #count({ resource, type, entry, before }: CommittedChange): void {
    if (passing.includes(resource) || (type === "put" && before !== undefined)) return;
    const object = parseValue<ApiObject>(entry.value);
    const name = groupOf(entry.key, object);
    const count = this.#counts.get(name) ?? { created: 0, deleted: 0, disrupted: 0 };
    this.#counts.set(name, count);
    if (type === "put") count.created++;
    else count.deleted++;
    if (type === "delete" && isConditionTrue((object as Pod).status?.conditions, "DisruptionTarget")) count.disrupted++;
  }
}

/** "pods of ReplicaSet default/web" for what a controller has given its name. */
function groupOf(key: string, object: ApiObject): string {
  const owner = controllerOf(object);
  const [, resource = "", namespace = ""] = key.split("/");
  return owner ? `${resource} of ${owner.kind} ${namespace}/${owner.name}` : key;
}
