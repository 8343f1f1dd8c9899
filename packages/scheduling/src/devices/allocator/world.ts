import type { DeviceClass } from "@kintsugi/api";
import type { CapacityAmounts } from "./capacity.ts";
import type { DeviceNode, ReachablePool } from "./pool.ts";
import type { DeviceSelectors, SelectorBudget } from "./selectors.ts";

/** The devices that are allocated already, in this decision's world. */
export interface DevicesInUse {
  /** Reports whether the device is allocated, as a whole or in shares. */
  has(device: string): boolean;
  /** Reports whether the device is allocated as a whole. */
  isTaken(device: string): boolean;
  /** The shares that are allocated of a device that may be shared. */
  sharesOf(device: string): CapacityAmounts;
}

/** The cost that one decision about a pod may still have, on all its nodes together. */
export interface AllocationBudget extends SelectorBudget {
  stepsLeft: number;
}

/**
 * A step tries one device, which takes a few microseconds, and decisions are synchronous: all nodes
 * of a pod together hold other pods up for a third of a second at most. Upstream gives each node
 * 10 s, on a thread of its own.
 */
const stepsPerDecision = 100_000;
/**
 * Upstream's limit of one evaluation (CELSelectorExpressionMaxCost), which takes a quarter of a
 * second here. Verdicts and programs are kept, so that the next decision about the pod goes on
 * where this one ended, and other pods have their turn between.
 */
const costPerDecision = 1_000_000;

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
