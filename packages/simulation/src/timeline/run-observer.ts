import type { PlannedFault } from "../scenario/scenario.ts";

/** The phase of a planned fault. */
export type FaultPhase = "begins" | "ends" | "misses";

/** Observes a run's actions on its cluster, in addition to the cluster itself. */
export interface RunObserver {
  /** The cluster is complete, and time is counted from here. */
  begin(): void;
  fault(planned: PlannedFault, phase: FaultPhase): void;
  /** The run's actions are over, and later events do not count. */
  end(): void;
}
