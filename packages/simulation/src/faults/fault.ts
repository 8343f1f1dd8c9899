import { badRequest } from "@kintsugi/api";
import type { Random } from "@kintsugi/clock";
import type { FaultableCluster } from "../cluster.ts";
import type { FaultSettings, PlannedFault, Scenario } from "../scenario/scenario.ts";
import type { Holds } from "./holds.ts";

/** One fault or user action that a cluster can undergo. */
export interface Fault {
  /** The name in scenarios: "kill-node". */
  readonly name: string;
  /**
   * The row of the catalogue of faults in test/simulation/README.md that the fault implements:
   * "F28".
   */
  readonly catalogue: readonly string[];
  /** The effect of the fault, for an author who selects a fault. */
  readonly sentence: string;
  readonly target: TargetKind;
  /** True if the fault is undone after a while; otherwise the fault happens at one instant. */
  readonly lasts: boolean;
  /**
   * True if a user's action causes the fault, so that the objects that it deletes were deleted on
   * purpose.
   */
  readonly byUsers?: true;
  /**
   * True if the fault's effect on a part of the cluster may last forever while the rest has to
   * recover.
   */
  readonly mayStay?: boolean;
  /**
   * Set for a fault that was added after the other faults. Its draw has a random source of its own,
   * so that the other draws of every seed are unchanged.
   */
  readonly drawnApart?: true;
  /** True if seeds never draw the fault, so that a user has to name it. */
  readonly onlyByName?: true;
  /** False if the scenario has no target for the fault; absent if the fault is always possible. */
  isPossible?(scenario: Pick<Scenario, "workloads">): boolean;
  /** Settings that seeds never draw, each with a usual value. */
  readonly settings?: FaultSettings;
  /** Draws settings for a plan of a seed; absent if every plan has the defaults. */
  draw?(random: Random, scenario: Pick<Scenario, "profile">): FaultSettings;
  /**
   * Performs the fault. A target that cannot be hit at this instant (the node was removed, nothing
   * runs) is left unchanged.
   * @returns a function that undoes the fault; undefined if no target was hit. An instantaneous
   * fault that hit its target returns `alreadyOver`.
   */
  inject(world: World, planned: PlannedFault): Promise<Undo | undefined> | Undo | undefined;
}

/**
 * The meaning of a target's name. "service": api-server, scheduler or controller-manager; "server":
 * a machine of a control plane with several servers; "process": a service, or the kubelet of a
 * node.
 */
export type TargetKind = "node" | "service" | "server" | "process" | "workload" | "zone" | "none";

export type Undo = () => void | Promise<void>;

/** The fault was performed and does not have to be undone. */
export const alreadyOver: Undo = () => {};

/**
 * The result of a fault that waits for its moment, and that reports by `World.reached` when it has
 * happened.
 */
export function armed(undo: Undo): Undo {
  return Object.assign(() => undo(), { armed: true });
}

/** The objects on which faults work. */
export interface World {
  readonly cluster: FaultableCluster;
  readonly random: Random;
  /**
   * A random source for each target of this fault by its name, so that the draws of one target
   * never change the draws of another target.
   */
  readonly randomOf: (name: string) => Random;
  readonly scenario: Pick<Scenario, "nodes" | "workloads" | "profile">;
  readonly holds: Holds;
  /** Called by faults that wait for their moment: the planned fault has now happened. */
  reached(planned: PlannedFault): void;
}

export const namespace = "default";

export function pick<T>(random: Random, choices: readonly T[]): T | undefined {
  return choices[random.integer(Math.max(1, choices.length))];
}

/** Returns a numeric setting. */
export function setting(planned: PlannedFault, name: string, otherwise: number): number {
  const value = planned.with?.[name];
  return typeof value === "number" ? value : otherwise;
}

/** Returns a textual setting. */
export function word(planned: PlannedFault, name: string, otherwise: string): string {
  const value = planned.with?.[name];
  return typeof value === "string" ? value : otherwise;
}

/** Returns the words of a setting with several words, separated by commas. */
export function wordsIn(text: string): string[] {
  return text.split(",").map((each) => each.trim());
}

/**
 * Returns a setting that is one of a few words.
 * @throws ApiError BadRequest for any other word.
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
 * Returns a setting that is a share, from 0 to 1.
 * @throws ApiError BadRequest
 */
export function share(planned: PlannedFault, name: string, otherwise: number): number {
  const value = setting(planned, name, otherwise);
  if (value >= 0 && value <= 1) return value;
  throw badRequest(`with.${name} must be a share between 0 and 1, such as 0.25, not ${value}`);
}

/** Undoes several faults, the last first. */
export function allOf(undos: readonly Undo[]): Undo {
  return async () => {
    for (const undo of [...undos].reverse()) await undo();
  };
}
