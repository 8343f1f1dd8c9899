import type { Invariant } from "../invariant.ts";

const namespaces = "core/namespaces";

/** Objects are never created in a namespace that is being deleted. */
export function terminatingNamespacesStayClosed(): Invariant {
  const closing = new Set<string>();

  return {
    name: "terminating-namespaces-stay-closed",
    never: "a new object in a namespace that is being deleted",
    change({ resource, type, entry, before }, check) {
      const [, , namespace = "", name = ""] = entry.key.split("/");
      if (resource === namespaces) {
        if (type === "put" && entry.index.deleting === true) closing.add(name);
        else closing.delete(name);
      } else if (closing.size > 0 && type === "put" && before === undefined) {
        check(closing.has(namespace) ? `${entry.key} was created in a namespace that is being deleted` : undefined);
      }
    },
  };
}
