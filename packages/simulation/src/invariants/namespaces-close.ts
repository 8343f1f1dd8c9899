import type { CommittedChange } from "@kintsugi/store";
import type { Check, Invariant } from "./invariant.ts";

const namespaces = "core/namespaces";

/** S8, of namespaces: nothing comes into one that is being deleted. */
export class NamespacesClose implements Invariant {
  readonly name = "S8";
  readonly never = "a new object in a namespace that is being deleted";
  readonly #closing = new Set<string>();

  change({ resource, type, entry, before }: CommittedChange, check: Check): void {
    const [, , namespace = "", name = ""] = entry.key.split("/");
    if (resource === namespaces) {
      if (type === "put" && entry.index.deleting === true) this.#closing.add(name);
      else this.#closing.delete(name);
    } else if (this.#closing.size > 0 && type === "put" && before === undefined) {
      check(this.#closing.has(namespace) ? `${entry.key} was created in a namespace that is being deleted` : undefined);
    }
  }
}
