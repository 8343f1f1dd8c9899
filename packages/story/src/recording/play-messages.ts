import type { StoryRecording } from "./story-recording.ts";

/** A scenario that a player in the browser can simulate, as it was written. */
export interface PlayableScenario {
  readonly name: string;
  readonly description: string;
  /** The default profile of its timers. */
  readonly profile: string;
}

/** A fault that a viewer adds to a scenario. */
export interface AddedFault {
  /** Milliseconds since the scenario's beginning. */
  readonly atMs: number;
  /** The name of the fault, as scenarios write it: "kill-node". */
  readonly fault: string;
  readonly node: string;
  /** The length of the fault; without a length it lasts until the end. */
  readonly forMs?: number;
}

/** A kubectl command that a viewer runs at a time of a scenario. */
export interface AddedCommand {
  /** Milliseconds since the scenario's beginning. */
  readonly atMs: number;
  /** The command line: "scale deployment/web --replicas=8". */
  readonly text: string;
  /** The objects of the editor, for "apply". */
  readonly yaml?: string;
}

/** The run that a viewer requests: a scenario, and the viewer's changes. */
export interface PlayRequest {
  readonly scenario: string;
  readonly faults: readonly AddedFault[];
  /** Absent without commands. */
  readonly commands?: readonly AddedCommand[];
  /** Other settings, as on the command line: "timers.node-monitor-grace-period=20s". */
  readonly settings: readonly string[];
}

/** A rehearsal of an example cluster, as a lesson requests it. */
export interface RehearseRequest {
  readonly rehearse: string;
  readonly flags: readonly string[];
}

/** A command to run at a time of a run, for its answer only; it does not change the run. */
export interface AskRequest {
  readonly ask: PlayRequest;
  readonly command: AddedCommand;
}

/** The completions of a command line at a time of a run. */
export interface CompleteRequest {
  readonly complete: PlayRequest;
  readonly command: AddedCommand;
}

export type SimulatorRequest = PlayRequest | RehearseRequest | AskRequest | CompleteRequest;

/** The answers of the simulating program. */
export type PlayAnswer =
  /** The program is ready, with its scenarios. */
  | { readonly is: "ready"; readonly scenarios: readonly PlayableScenario[] }
  /** The progress of the requested run, 0 to 1. */
  | { readonly is: "simulated"; readonly part: number }
  | {
      readonly is: "played";
      readonly recording: StoryRecording;
      /**
       * The digest of all commits, which is the same in each program that simulates the same run.
       */
      readonly digest: string;
      /** A sentence about a violated invariant of the cluster. */
      readonly failure?: string;
      /** The time that the simulation took. */
      readonly tookMs: number;
    }
  /** The lines of a rehearsal's report. */
  | { readonly is: "rehearsed"; readonly lines: readonly string[] }
  /** The answer to a command; a change is simulated only when it is part of a request. */
  | {
      readonly is: "told";
      readonly command: AddedCommand;
      readonly lines: readonly string[];
      readonly isChange: boolean;
      /** An object for the editor. */
      readonly yaml?: string;
    }
  | { readonly is: "completed"; readonly command: AddedCommand; readonly words: readonly string[] }
  /** The run cannot be simulated, with a sentence about the reason. */
  | { readonly is: "refused"; readonly because: string };
