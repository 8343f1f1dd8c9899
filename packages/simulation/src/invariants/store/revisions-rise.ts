import type { Invariant, InvariantContext } from "../invariant.ts";

/** Each change has its own revision, one higher than the previous revision. */
export function revisionsRise(context: InvariantContext): Invariant {
  let last = context.revision;

  return {
    name: "revisions-rise",
    never: "a revision that does not follow the previous revision",
    change({ revision }, check) {
      check(revision === last + 1 ? undefined : `revision ${revision} follows ${last}`);
      last = revision;
    },
  };
}
