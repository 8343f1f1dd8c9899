import type { Invariant, InvariantContext } from "../invariant.ts";

/** S3: one revision per change, each one more than the last. */
export function revisionsFollow(context: InvariantContext): Invariant {
  let last = context.revision;

  return {
    name: "S3",
    never: "a revision that does not follow the one before",
    change({ revision }, check) {
      check(revision === last + 1 ? undefined : `revision ${revision} follows ${last}`);
      last = revision;
    },
  };
}
