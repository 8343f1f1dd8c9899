import type { Bar, FaultBar, PodSample, Replacement } from "@kintsugi/story";
import type { RunningTimer } from "../model/running-timers.ts";
import type { PictureLayout } from "./layout.ts";
import type { Palette } from "./palette.ts";
import type { TimeScale } from "./scale.ts";

/** One frame of the picture. */
export interface Frame {
  readonly layout: PictureLayout;
  readonly scale: TimeScale;
  readonly palette: Palette;
  /** The part of the picture that is scrolled out above. */
  readonly scrollY: number;
  readonly height: number;
  readonly runningTimers: readonly RunningTimer[];
  readonly replacements: readonly Replacement[];
  readonly shows: (bar: Bar) => boolean;
  /** Finds the bar of an existing pod. */
  readonly barOf: (pod: { readonly namespace: string; readonly name: string }) => Bar | undefined;
  /** The bar that is selected or pointed at. */
  readonly chosen: Bar | undefined;
  readonly pods: PodsOverTime;
  /** The position where names of lanes begin; a button precedes them in a lab. */
  readonly nameX: number;
  /**
   * The frame shows a time before the newest step, so the part to the right of that time is empty.
   */
  readonly isPast?: boolean;
}

/** The counts of pods above the lanes, and the faults. */
export interface PodsOverTime {
  readonly samples: readonly PodSample[];
  readonly faults: readonly FaultBar[];
}
