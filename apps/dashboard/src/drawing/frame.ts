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
  /** The part of the picture that is scrolled away above. */
  readonly scrollY: number;
  readonly height: number;
  readonly runningTimers: readonly RunningTimer[];
  readonly replacements: readonly Replacement[];
  readonly shows: (bar: Bar) => boolean;
  /** The bar that is selected or pointed at. */
  readonly chosen: Bar | undefined;
  readonly pods: PodsOverTime;
  /** The names of lanes begin here; a button precedes them where something can be broken. */
  readonly nameX: number;
  /** The frame shows a time before the newest step: the part right of it stays empty. */
  readonly isPast?: boolean;
}

/** The counts of pods above the lanes, and the faults. */
export interface PodsOverTime {
  readonly samples: readonly PodSample[];
  readonly faults: readonly FaultBar[];
}
