import type { PlannedFault } from "../scenario/scenario.ts";

/** The phase of a planned fault. */
export type FaultPhase = "begins" | "ends" | "misses";

/** Observes a run's actions on its cluster; the cluster itself it sees anyway. */
export interface RunObserver {
  /** The cluster is whole, and time is counted from here. */
  begin(): void;
  fault(planned: PlannedFault, phase: FaultPhase): void;
  /** Nothing more is done, and nothing more counts. */
  end(): void;
}
