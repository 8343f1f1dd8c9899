import type { RejectionReason } from "./rejection-reason.ts";

/** The verdict of one plugin on one node for one pod. */
export type Verdict =
  | { fits: true }
  /**
   * `evictionMayHelp`: fewer pods on the node could change the verdict (upstream: Unschedulable,
   * not …AndUnresolvable).
   */
  | { fits: false; because: readonly RejectionReason[]; evictionMayHelp: boolean };

export const fits: Verdict = { fits: true };

/** Removing pods from the node cannot change this verdict. */
export function neverFits(because: RejectionReason): Verdict {
  return { fits: false, because: [because], evictionMayHelp: false };
}

/** Fewer pods on the node could change this verdict. */
export function doesNotFitNow(because: RejectionReason): Verdict {
  return { fits: false, because: [because], evictionMayHelp: true };
}
