import type { PlayRequest } from "../recording/play-messages.ts";

// A lesson has a question, a prediction, the run that answers it, and a goal:
//
//   question → prediction → the run plays, its future hidden → the truth next to the prediction
//            → debrief → goal: the learner changes the run until its counts of pods meet it

/** One lesson as a value; the playground and `kintsugi learn` play it. */
export interface Lesson {
  /** The name in addresses and in the learner's progress; it never changes. */
  readonly id: string;
  readonly title: string;
  /** The chapter to which the lesson belongs; lessons of a chapter are consecutive. */
  readonly chapter: string;
  readonly minutes: number;
  readonly subject: RunSubject | RehearsalSubject;
  readonly question: string;
  readonly prediction: Prediction;
  readonly debrief: string;
  /** The code that determined the outcome, relative to the repository's root. */
  readonly code: readonly CodePlace[];
  readonly goal?: Goal;
  /** Real containers cannot play the lesson: the lab has no means for its faults. */
  readonly isVirtualOnly?: true;
}

/** A scenario that is simulated. */
export interface RunSubject {
  readonly is: "run";
  readonly request: PlayRequest;
  /**
   * The steps in the run's timeline that prove the debrief, in the form of a scenario's `expect`.
   */
  readonly proof: readonly string[];
}

/** A rehearsal of a cluster: an example by default, or the learner's own. */
export interface RehearsalSubject {
  readonly is: "rehearsal";
  /** A folder in demo/rehearsals. */
  readonly example: string;
  /** The flags of `kintsugi rehearse` that ask the question. */
  readonly flags: readonly string[];
  /** Sentences of the report that prove the debrief. */
  readonly proof: readonly string[];
}

export interface CodePlace {
  readonly path: string;
  readonly decides: string;
}

/** The answer that is requested before the run is shown. */
export type Prediction =
  | { readonly is: "choice"; readonly options: readonly string[]; readonly right: number }
  /** Seconds; the truth is computed from the run. */
  | { readonly is: "seconds"; readonly of: "degraded" | "downtime"; readonly workload: string }
  /** A number; the truth is computed from the run. */
  | { readonly is: "count"; readonly of: PodCount; readonly workload: string }
  /** A mark on the timeline, in seconds since its beginning; the truth is computed from the run. */
  | { readonly is: "mark"; readonly of: "whole again" | "noticed"; readonly workload: string };

type PodCount = "created" | "evictions" | "restarts";

/** A task for the learner, checked on the run that the learner made. */
export interface Goal {
  readonly text: string;
  /** All conditions of the goal. */
  readonly checks: readonly GoalCheck[];
  /** Maximum number of changed settings and added faults. */
  readonly changesMax: number;
  /**
   * The settings that may be changed. The faults of the lesson are the task, and cannot be removed.
   */
  readonly knobs: readonly Knob[];
  /** The first hints are vague. */
  readonly hints: readonly string[];
  /** One way to reach the goal, by which a test shows that it is possible. */
  readonly solution: readonly string[];
}

/** A setting with the values to choose from. */
export interface Knob {
  /** "timers.pod-eviction-timeout", as on the command line. */
  readonly setting: string;
  readonly label: string;
  readonly values: readonly string[];
  /** The value of the lesson's own run, which applies until the learner chooses another. */
  readonly asItIs: string;
}

export type GoalCheck =
  /** Fewer pods than wanted (or none) are available for at most this time. */
  | { readonly is: "degraded" | "downtime"; readonly workload: string; readonly msMax: number }
  /** The minimum number of pods that are available at every moment. */
  | { readonly is: "available"; readonly workload: string; readonly atLeast: number }
  | { readonly is: PodCount; readonly workload: string; readonly max: number };

/** The request of a lesson that is a run. */
export function requestOf({ subject }: Lesson): PlayRequest | undefined {
  return subject.is === "run" ? subject.request : undefined;
}
