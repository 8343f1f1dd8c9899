import { type ApiObject, parseTimestamp, type Pod } from "@kintsugi/api";
import type { Check, Invariant, Seen } from "./invariant.ts";
import { nameOf } from "./known.ts";

/** S8: a deletion that has begun ends in the object's end, and not before everybody has let go of it. */
export class DeletionsEnd implements Invariant {
  readonly name = "S8";
  readonly never = "a deletion that is taken back or put off, or an object that goes while it has finalizers";

  pod(seen: Seen<Pod>, check: Check): void {
    this.#look(seen, check);
  }

  node(seen: Seen<ApiObject>, check: Check): void {
    this.#look(seen, check);
  }

  replicaSet(seen: Seen<ApiObject>, check: Check): void {
    this.#look(seen, check);
  }

  budget(seen: Seen<ApiObject>, check: Check): void {
    this.#look(seen, check);
  }

  #look({ type, object, before, change }: Seen<ApiObject>, check: Check): void {
    if (type === "delete") {
      const { finalizers = [] } = object.metadata;
      check(
        finalizers.length === 0 ? undefined : `${change.resource} ${nameOf(object)} is gone, with ${finalizers.join()}`,
      );
    } else if (before?.metadata.deletionTimestamp !== undefined) {
      check(this.#isPutOff(before.metadata.deletionTimestamp, object, change.resource));
    }
  }

  #isPutOff(was: string, object: ApiObject, resource: string): string | undefined {
    const { deletionTimestamp } = object.metadata;
    if (deletionTimestamp === undefined) return `${resource} ${nameOf(object)} was being deleted, and is not any more`;
    if (parseTimestamp(deletionTimestamp) <= parseTimestamp(was)) return undefined;
    return `the deletion of ${resource} ${nameOf(object)} was put off from ${was} to ${deletionTimestamp}`;
  }
}
