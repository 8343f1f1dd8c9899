import type { PlayRequest } from "../recording/play-messages.ts";

// A lesson goes from a question to a prediction, to the life that answers it, to a goal:
//
//   question → prediction → the life plays, its future hidden → the truth beside the prediction
//            → debrief → goal: the learner changes the life until its counts of pods meet it

/** One lesson as a value; the playground plays it, and other programs may. */
export interface Lesson {
  /** The name in addresses and in the learner's progress; it never changes. */
  readonly id: string;
  readonly title: string;
  readonly minutes: number;
  readonly request: PlayRequest;
  readonly question: string;
  readonly prediction: Prediction;
  readonly debrief: string;
  /** The code that decided it, below the repository's root. */
  readonly code: readonly CodePlace[];
  readonly goal?: Goal;
}

export interface CodePlace {
  readonly path: string;
  readonly decides: string;
}

/** The answer that is asked for before the life is seen. */
export type Prediction =
  | { readonly is: "choice"; readonly options: readonly string[]; readonly right: number }
  /** Seconds; the life itself has the truth. */
  | { readonly is: "seconds"; readonly of: "degraded" | "downtime"; readonly workload: string };

/** A task for the learner, checked on the counts of pods that the life recorded. */
export interface Goal {
  readonly text: string;
  readonly workload: string;
  /** The workload is degraded for at most this long. */
  readonly degradedMsMax: number;
  /** Changed settings and added faults. */
  readonly changesMax: number;
  /** The first ones are vague. */
  readonly hints: readonly string[];
  /** One way to reach it, by which a test shows that there is one. */
  readonly solution: readonly string[];
}
