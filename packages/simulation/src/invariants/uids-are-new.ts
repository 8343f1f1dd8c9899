import type { CommittedChange } from "@kintsugi/store";
import type { Check, Invariant } from "./invariant.ts";

/** S7: an object's UID stays, and nobody has it after it. */
export class UidsAreNew implements Invariant {
  readonly name = "S7";
  readonly never = "an object whose UID changes, or was another's before it";
  /** Of every object that there was, but for Events, of which there are too many. */
  readonly #seen = new Set<string>();

  change({ resource, type, entry, before }: CommittedChange, check: Check): void {
    const { uid } = entry.index;
    if (uid === "" || type === "delete") return;
    if (before !== undefined) {
      check(before.index.uid === uid ? undefined : `${entry.key} was ${before.index.uid} and became ${uid}`);
      return;
    }
    if (resource.endsWith("/events")) return;
    check(this.#seen.has(uid) ? `${entry.key} got the UID ${uid}, which another object had` : undefined);
    this.#seen.add(uid);
  }
}
