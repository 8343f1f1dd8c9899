import type { Random } from "@kintsugi/clock";
import type { ChaosCluster } from "../cluster/chaos-cluster.ts";

/** The objects that a fault can reach. */
export interface World {
  readonly cluster: ChaosCluster;
  readonly random: Random;
  /** Creates work for scheduler, controllers and kubelets: pods are created and deleted. */
  stir(): Promise<void>;
}

export type Family = "kill" | "failpoint" | "bus" | "runtime" | "network" | "disk" | "pause" | "clock" | "server";

/** One fault. A cluster has recovered when it satisfies checks/recovery.ts. */
export interface Fault {
  readonly name: string;
  readonly family: Family;
  /** The time until the fault is undone; 0 for a fault that ends immediately. */
  readonly lastsMs: Duration;
  /**
   * Set for a fault that disables parts which other faults need to be injected or undone. Such a
   * fault is never combined with another fault.
   */
  readonly alone?: true;
  /**
   * The objects that must be the same after the recovery: every pod, or the containers of those
   * pods that still exist.
   */
  readonly keeps?: "pods" | "containers";
  inject(world: World): Promise<Injected>;
}

export interface Duration {
  readonly min: number;
  readonly max: number;
}

export const atOnce: Duration = { min: 0, max: 0 };

export type Injected =
  | {
      /** The affected target: "node-1", "the scheduler at its 4th write". */
      readonly onto: string;
      undo(): Promise<void>;
    }
  /**
   * The fault was impossible here, or its condition did not occur, so it counts as not injected.
   */
  | { readonly notInjected: string };

export const nothingToUndo = async () => {};

export function pick<T>(random: Random, choices: readonly T[]): T {
  const chosen = choices[random.integer(Math.max(1, choices.length))];
  if (chosen === undefined) throw new Error("there is nothing to choose from");
  return chosen;
}

/** A whole number from min to max. */
export function between(random: Random, { min, max }: Duration): number {
  return min + random.integer(max - min + 1);
}
