import { type ApiObject, controllerOf, isConditionTrue, type Pod } from "@kintsugi/api";
import type { CommittedChange, Store } from "@kintsugi/store";
import { parseValue } from "../reading.ts";
import { normalized } from "./normalized.ts";

/** The parts by which two runs of one scenario are compared. */
export interface EndState {
  /**
   * The objects without their incidental fields, by store key, or by owner where names are made up.
   */
  readonly objects: ReadonlyMap<string, readonly string[]>;
  /** The number of objects that came and went, by the same key. */
  readonly counts: ReadonlyMap<string, Count>;
}

export interface Count {
  created: number;
  deleted: number;
  /** The deleted pods that were taken from a node that was down or gone, by their own condition. */
  disrupted: number;
}

/** Kinds that are written all the time, and kinds that only describe others. */
const passing: readonly string[] = ["coordination.k8s.io/leases", "core/events", "events.k8s.io/events"];

/** Counts the objects that come and go from the beginning, and records the state at the end. */
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

/** "pods of ReplicaSet default/web" for an object whose name a controller has made. */
function groupOf(key: string, object: ApiObject): string {
  const owner = controllerOf(object);
  const [, resource = "", namespace = ""] = key.split("/");
  return owner ? `${resource} of ${owner.kind} ${namespace}/${owner.name}` : key;
}
