import type { PlannedFault } from "../scenario/scenario.ts";

/** What became of a planned fault. */
export type FaultPhase = "begins" | "ends" | "misses";

/** Hears what a run does to its cluster; the cluster itself it sees anyway. */
export interface RunObserver {
  /** The cluster is whole, and time is counted from here. */
  begin(): void;
  fault(planned: PlannedFault, phase: FaultPhase): void;
  /** Nothing more is done, and nothing more counts. */
  end(): void;
}
