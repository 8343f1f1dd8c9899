import type { RunOutcome } from "@kintsugi/rehearsal";

/** A question in progress. */
export interface Asked {
  /** Resolves when no further changes are applied to the cluster. */
  readonly done: Promise<void>;
  readonly drains: RunOutcome["drains"];
}
