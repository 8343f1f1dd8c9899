import type { StoryRecording } from "./story-recording.ts";

/** A scenario that a player in the browser can have simulated, as it was written. */
export interface PlayableScenario {
  readonly name: string;
  readonly description: string;
  /** The profile of timers that it has unless that is changed. */
  readonly profile: string;
}

/** A fault that a viewer adds to a scenario. */
export interface AddedFault {
  /** Milliseconds since the scenario's beginning. */
  readonly atMs: number;
  /** The name of the fault, as scenarios write it: "kill-node". */
  readonly fault: string;
  readonly node: string;
  /** The length of the fault; one without an end stays. */
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

/** A command to run at a time of a run, whose answer is wanted; nothing else changes. */
export interface AskRequest {
  readonly ask: PlayRequest;
  readonly command: AddedCommand;
}

/** The words that a command line may go on with at a time of a run. */
export interface CompleteRequest {
  readonly complete: PlayRequest;
  readonly command: AddedCommand;
}

export type SimulatorRequest = PlayRequest | RehearseRequest | AskRequest | CompleteRequest;

/** The answers of the program that simulates. */
export type PlayAnswer =
  /** It is ready, with the scenarios that it has. */
  | { readonly is: "ready"; readonly scenarios: readonly PlayableScenario[] }
  /** The run that was requested has come so far, 0 to 1. */
  | { readonly is: "simulated"; readonly part: number }
  | {
      readonly is: "played";
      readonly recording: StoryRecording;
      /** The digest of all commits: the same in each program that simulates the same run. */
      readonly digest: string;
      /** A sentence about a promise of the cluster that was broken. */
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
