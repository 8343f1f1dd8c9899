import type { DeviceClass } from "@kintsugi/api";
import type { CapacityAmounts } from "./capacity.ts";
import type { DeviceNode, ReachablePool } from "./pool.ts";
import type { DeviceSelectors, SelectorBudget } from "./selectors.ts";

/** The devices that are already allocated, in this decision's view. */
export interface DevicesInUse {
  /** Reports whether the device is allocated, as a whole or in shares. */
  has(device: string): boolean;
  /** Reports whether the device is allocated as a whole. */
  isTaken(device: string): boolean;
  /** The shares of a shareable device that are allocated. */
  sharesOf(device: string): CapacityAmounts;
}

/** The remaining cost budget of one decision about a pod, on all nodes together. */
export interface AllocationBudget extends SelectorBudget {
  stepsLeft: number;
}

/**
 * A step tries one device, which takes a few microseconds, and decisions are synchronous: all nodes
 * of a pod together delay other pods by at most a third of a second. Upstream limits each node to
 * 10 s, on its own thread.
 */
const stepsPerDecision = 100_000;
/**
 * Upstream's limit of one evaluation (CELSelectorExpressionMaxCost), which takes a quarter of a
 * second here. Verdicts and programs are cached, so that the next decision about the pod continues
 * where this decision ended, and other pods get their turn in between.
 */
const costPerDecision = 1_000_000;

export function newAllocationBudget(): AllocationBudget {
  return { stepsLeft: stepsPerDecision, costLeft: costPerDecision };
}

export interface AllocationWorld {
  readonly node: DeviceNode;
  /** The pools with a device that the node reaches, in a stable order. */
  readonly pools: readonly ReachablePool[];
  readonly inUse: DevicesInUse;
  readonly selectors: DeviceSelectors;
  findClass(name: string): DeviceClass | undefined;
}
