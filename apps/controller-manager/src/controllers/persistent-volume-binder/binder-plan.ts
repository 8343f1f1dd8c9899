import type { PersistentVolume, PersistentVolumeClaim } from "@kintsugi/api";

/**
 * A write, and the events that are recorded before the write. A plan without a write leaves both
 * objects unchanged.
 */
export interface BinderPlan {
  readonly write?: BinderWrite;
  readonly events: readonly BinderEvent[];
}

export type BinderWrite =
  | { readonly of: "volume" | "volume status"; readonly object: PersistentVolume }
  | { readonly of: "claim" | "claim status"; readonly object: PersistentVolumeClaim };

/** An event about the object for which the plan was made. */
export interface BinderEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export const nothing: BinderPlan = { events: [] };
