import type { AllocationResult, DeviceClass, ResourceClaim } from "@kintsugi/api";
import { prepareDemands } from "./candidates.ts";
import { mayHaveEnough } from "./enough-devices.ts";
import type { CapacityAmounts } from "./capacity.ts";
import type { DeviceNode, ReachablePool } from "./pool.ts";
import { resultOf } from "./result.ts";
import { Search } from "./search.ts";
import type { DeviceSelectors, SelectorBudget } from "./selectors.ts";

// The devices of all claims of a pod on one node:
//
//   claims ─► requests ─► alternatives ─► candidates: the devices of complete pools that the node
//                                         reaches, free, tolerated, and selected
//                                             │ too few for all requests ──► does not fit
//                                             ▼
//   claim 1, request a, device 1 ─► device 2 ─► request b … ─► claim 2 … ─► all are taken: fits
//            ▲ a constraint, a counter or a capacity says no: the next candidate
//            └── no candidate is left: back to the device before
//
// The first solution is taken, as upstream does. Within a request devices are taken in the order of
// the candidates, so each set of them is tried once.

/** The devices that are allocated already, in this decision's world. */
export interface DevicesInUse {
  /** Reports whether the device is allocated, as a whole or in shares. */
  has(device: string): boolean;
  /** Reports whether the device is allocated as a whole. */
  isTaken(device: string): boolean;
  /** The shares that are allocated of a device that may be shared. */
  sharesOf(device: string): CapacityAmounts;
}

/** What one decision about a pod may cost on all its nodes together. */
export interface AllocationBudget extends SelectorBudget {
  stepsLeft: number;
}

/**
 * A step tries one device, which takes a few microseconds, and decisions are synchronous: all nodes
 * of a pod together hold other pods up for a third of a second at most. Upstream gives each node
 * 10 s, on a thread of its own.
 */
const stepsPerDecision = 100_000;
/** A node whose devices make the search long must not use up what other nodes need. */
const stepsPerNode = 10_000;
/** Ten times upstream's limit of one evaluation (CELSelectorExpressionMaxCost). */
const costPerDecision = 10_000_000;

export function newAllocationBudget(): AllocationBudget {
  return { stepsLeft: stepsPerDecision, costLeft: costPerDecision };
}

export interface AllocationWorld {
  readonly node: DeviceNode;
  /** The pools of which the node reaches a device, in a lasting order. */
  readonly pools: readonly ReachablePool[];
  readonly inUse: DevicesInUse;
  readonly selectors: DeviceSelectors;
  findClass(name: string): DeviceClass | undefined;
}

export type AllocationOutcome =
  /** The allocations of the claims, in their order. `ranks`: see `rankOf`. */
  | { is: "allocated"; allocations: readonly AllocationResult[]; ranks: readonly number[] }
  | { is: "does not fit" }
  /** A claim, a class or a device is not as it should be, or the search would take too long. */
  | { is: "fault"; because: string };

/** Chooses devices for the claims on the node. Pure, but for the budget that it uses up. */
export function allocateDevices(
  claims: readonly ResourceClaim[],
  world: AllocationWorld,
  budget: AllocationBudget,
): AllocationOutcome {
  const prepared = prepareDemands(claims, world, budget);
  if ("because" in prepared) return { is: "fault", because: prepared.because };
  if (!mayHaveEnough(prepared.claims)) return { is: "does not fit" };
  const steps = Math.min(budget.stepsLeft, stepsPerNode);
  const search = new Search(prepared.claims, { inUse: world.inUse, steps });
  const found = search.run();
  budget.stepsLeft -= steps - search.stepsLeft;
  switch (found) {
    case "none":
      return { is: "does not fit" };
    case "stopped":
      return { is: "fault", because: tooLong };
    case "found":
      return {
        is: "allocated",
        allocations: prepared.claims.map((claim, index) => resultOf(claim, search.takenFor(index), world.node)),
        ranks: prepared.claims.flatMap((_, index) => search.ranksOf(index)),
      };
  }
}

/** Ours: upstream searches until its filter runs out of time. */
export const tooLong = "search for devices took too many steps, use fewer requests or more specific selectors";
