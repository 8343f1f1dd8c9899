import type { Invariant } from "../invariant.ts";

/** An object's UID never changes, and later objects never reuse it. */
export function uidsAreUnique(): Invariant {
  /** The UIDs of all objects that ever existed, except Events, of which there are too many. */
  const seen = new Set<string>();

  return {
    name: "uids-are-unique",
    never: "an object whose UID changes, or an object with the UID of an earlier object",
    change({ resource, type, entry, before }, check) {
      const { uid } = entry.index;
      if (uid === "" || type === "delete") return;
      if (before !== undefined) {
        check(before.index.uid === uid ? undefined : `${entry.key} was ${before.index.uid} and became ${uid}`);
        return;
      }
      if (resource.endsWith("/events")) return;
      check(seen.has(uid) ? `${entry.key} got the UID ${uid}, which another object had` : undefined);
      seen.add(uid);
    },
  };
}
