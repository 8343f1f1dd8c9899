import { badRequest } from "@kintsugi/api";
import type { Random } from "@kintsugi/clock";
import type { FaultableCluster } from "../cluster.ts";
import type { FaultSettings, PlannedFault, Scenario } from "../scenario/scenario.ts";
import type { Holds } from "./holds.ts";

/** One thing that can be done to a cluster. */
export interface Fault {
  /** The word that users write: "kill-node". */
  readonly name: string;
  /**
   * The rows of the catalogue of faults in test/simulation/README.md that it is an instance of:
   * "F28".
   */
  readonly catalogue: readonly string[];
  /** The effect of the fault, for an author who chooses one. */
  readonly sentence: string;
  readonly target: TargetKind;
  /** Undone after a while; otherwise it is one stroke. */
  readonly lasts: boolean;
  /** Users take part in it: objects that it deletes were meant to go. */
  readonly byUsers?: true;
  /** A part of the cluster may stay like this forever while the rest has to become whole. */
  readonly mayStay?: boolean;
  /**
   * It arrived later than the random source of a run. The draw of a run passes over it and adds it
   * with its own random source, so that no other draw of any seed changes.
   */
  readonly drawnApart?: true;
  /** No seed draws it: its users name it. */
  readonly onlyByName?: true;
  /** False where the scenario has nothing that it could hit; always possible when absent. */
  isPossible?(scenario: Pick<Scenario, "workloads">): boolean;
  /** Settings that no seed draws, each with a usual value. */
  readonly settings?: FaultSettings;
  /** Settings for a plan that a seed draws; without a word every plan has the defaults. */
  draw?(random: Random, scenario: Pick<Scenario, "profile">): FaultSettings;
  /**
   * Performs the fault. A target that cannot be hit at this instant (the node is gone, nothing is
   * running) is left alone.
   * @returns how to undo it; nothing when there was nothing to hit. A stroke that hit returns
   * `struck`.
   */
  inject(world: World, planned: PlannedFault): Promise<Undo | undefined> | Undo | undefined;
}

/**
 * The meaning of a target's name. "service": api-server, scheduler or controller-manager;
 * "server": a machine of a control plane of several;
 * "process": a service, or the node of a kubelet.
 */
export type TargetKind = "node" | "service" | "server" | "process" | "workload" | "zone" | "none";

export type Undo = () => void | Promise<void>;

/** Nothing to undo, but it was done. */
export const struck: Undo = () => {};

/**
 * The result of a fault that only lies in wait: it reports by itself when it has hit, by
 * `World.reached`.
 */
export function armed(undo: Undo): Undo {
  return Object.assign(() => undo(), { armed: true });
}

/** The objects that faults work on. */
export interface World {
  readonly cluster: FaultableCluster;
  readonly random: Random;
  /**
   * A random source for each target that this fault meets by its name, so that the draws of one
   * change nothing for the others.
   */
  readonly randomOf: (name: string) => Random;
  readonly scenario: Pick<Scenario, "nodes" | "workloads" | "profile">;
  readonly holds: Holds;
  /** Called by faults that lie in wait: the planned fault has now happened. */
  reached(planned: PlannedFault): void;
}

export const namespace = "default";

export function pick<T>(random: Random, choices: readonly T[]): T | undefined {
  return choices[random.integer(Math.max(1, choices.length))];
}

/** A number among the settings. */
export function setting(planned: PlannedFault, name: string, otherwise: number): number {
  const value = planned.with?.[name];
  return typeof value === "number" ? value : otherwise;
}

/** A word among the settings. */
export function word(planned: PlannedFault, name: string, otherwise: string): string {
  const value = planned.with?.[name];
  return typeof value === "string" ? value : otherwise;
}

/** The words of a setting that takes several, separated by commas. */
export function wordsIn(text: string): string[] {
  return text.split(",").map((each) => each.trim());
}

/**
 * A word among the settings that is one of a few.
 * @throws ApiError BadRequest for another one.
 */
export function choice<Choice extends string>(
  planned: PlannedFault,
  name: string,
  { among, otherwise }: { among: readonly Choice[]; otherwise: Choice },
): Choice {
  const wanted = word(planned, name, otherwise);
  const found = among.find((each) => each === wanted);
  if (found !== undefined) return found;
  throw badRequest(`with.${name}: ${JSON.stringify(wanted)} must be one of ${among.join(", ")}`);
}

/**
 * A share among the settings, from 0 to 1.
 * @throws ApiError BadRequest
 */
export function share(planned: PlannedFault, name: string, otherwise: number): number {
  const value = setting(planned, name, otherwise);
  if (value >= 0 && value <= 1) return value;
  throw badRequest(`with.${name} must be a share between 0 and 1, such as 0.25, not ${value}`);
}

/** Undoes several things, the last first. */
export function allOf(undos: readonly Undo[]): Undo {
  return async () => {
    for (const undo of [...undos].reverse()) await undo();
  };
}
