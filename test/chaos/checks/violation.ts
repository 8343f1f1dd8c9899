/** A promise that was broken before the eyes of the harness. */
export interface ChaosViolation {
  /**
   * "S2". The numbers are those of the table in test/simulation/README.md, and of
   * test/chaos/README.md.
   */
  readonly invariant: string;
  readonly message: string;
}
