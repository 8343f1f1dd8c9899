/** A violated invariant that the harness observed. */
export interface ChaosViolation {
  /** "calls-are-linearizable": a name of the tables in test/simulation/README.md. */
  readonly invariant: string;
  readonly message: string;
}
