import type { ApiObject, ResourceType } from "@kintsugi/api";
import type { QueueControllerOptions } from "../queue/queue-controller.ts";
import type { Reconciler } from "../reconciler.ts";
import type { Watch } from "./watch.ts";

/**
 * A queue with its workers, the watches that wake its keys, and possibly more. A controller without
 * `reconcile` has no queue of its own.
 */
export type ControllerParts = (QueueParts | { reconcile?: never }) & {
  /** A further queue in addition to the first. */
  also?: QueueParts;
  periodic?: Periodic;
};

export interface QueueParts extends Omit<QueueControllerOptions, "name"> {
  /** The label `name` of the queue's metrics. Default: the controller's name. */
  queue?: string;
  /** The keys of all existing objects of a kind, or the keys that the function returns. */
  keys: ResourceType<ApiObject> | (() => Iterable<string>);
  watches: readonly Watch[];
  /** Keys that are woken once, before anything is watched. */
  keysAtStart?: () => Iterable<string>;
  reconcile: Reconciler["reconcile"];
}

/** Work that is done immediately and then periodically, independent of changes. */
export interface Periodic {
  periodMs: number;
  work: (signal: AbortSignal) => Promise<void>;
}
