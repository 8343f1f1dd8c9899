/** A promise that was broken before the eyes of the harness. */
export interface ChaosViolation {
  /** "calls-are-linearizable": a name of the tables in test/simulation/README.md. */
  readonly invariant: string;
  readonly message: string;
}
