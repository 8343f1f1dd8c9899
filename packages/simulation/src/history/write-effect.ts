import { type Call, type Commit, sameValue } from "./history.ts";

/** Reports whether the call could have been carried out on the earlier state. */
export function isAllowed({ verb, precondition }: Call, before: Commit | undefined): boolean {
  if (verb === "create") return before === undefined;
  if (before === undefined) return false;
  if (precondition?.revision !== undefined && precondition.revision !== before.revision) return false;
  return precondition?.uid === undefined || before.uid === undefined || precondition.uid === before.uid;
}

/** Reports whether the commit matches the call, as far as the call's content is known. */
export function hasAsked({ verb, asked }: Call, commit: Commit): boolean {
  if (asked === undefined) return true;
  if (verb !== "patch") return sameValue(asked, commit.value);
  return Object.entries(asked).every(([field, text]) => commit.value[field] === text);
}
