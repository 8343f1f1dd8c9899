import type { CommittedChange } from "@kintsugi/store";
import type { Check, Invariant } from "./invariant.ts";

/** S3: one revision per change, each one more than the last. */
export class RevisionsFollow implements Invariant {
  readonly name = "S3";
  readonly never = "a revision that does not follow the one before";
  #revision: number;

  constructor({ revision }: { revision: number }) {
    this.#revision = revision;
  }

  change({ revision }: CommittedChange, check: Check): void {
    check(revision === this.#revision + 1 ? undefined : `revision ${revision} follows ${this.#revision}`);
    this.#revision = revision;
  }
}
