import type { RunOutcome } from "@kintsugi/rehearsal";

/** A question under way. */
export interface Asked {
  /** Resolves when nothing more is done to the cluster. */
  readonly done: Promise<void>;
  readonly drains: RunOutcome["drains"];
}
