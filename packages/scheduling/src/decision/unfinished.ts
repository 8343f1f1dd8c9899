import { tooCostly } from "../devices/allocator/candidates.ts";
import type { Rejections } from "./filtering/filter-result.ts";

/**
 * True if the expressions of devices used up the budget of the decision before all nodes had their
 * verdicts. Verdicts are kept, so that another decision makes progress without any event.
 */
export function isUnfinished({ byNode }: Rejections): boolean {
  for (const { because } of byNode.values())
    if (because.some((reason) => reason.code === "Fault" && reason.text.endsWith(tooCostly))) return true;
  return false;
}
