import { type Call, type Commit, sameValue } from "./history.ts";

/** Whether the call could have been carried out over what stood before. */
export function isAllowed({ verb, precondition }: Call, before: Commit | undefined): boolean {
  if (verb === "create") return before === undefined;
  if (before === undefined) return false;
  if (precondition?.revision !== undefined && precondition.revision !== before.revision) return false;
  return precondition?.uid === undefined || before.uid === undefined || precondition.uid === before.uid;
}

/** Whether the commit is what the call asked for, as far as it says what that was. */
export function hasAsked({ verb, asked }: Call, commit: Commit): boolean {
  if (asked === undefined) return true;
  if (verb !== "patch") return sameValue(asked, commit.value);
  return Object.entries(asked).every(([field, text]) => commit.value[field] === text);
}
