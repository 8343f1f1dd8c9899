import type { PersistentVolume, PersistentVolumeClaim } from "@kintsugi/api";

/** One write and the events before it. Without a write, nothing has to change for now. */
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
