import type { PodState } from "@kintsugi/story";

/** Colors of the picture, taken from the page's style so that light and dark are defined once. */
export interface Palette {
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly surface: string;
  readonly accent: string;
  /** The color of seams. */
  readonly gold: string;
  readonly bad: string;
  readonly states: Readonly<Record<PodState, string>>;
  readonly silent: string;
  readonly notReady: string;
  readonly isDark: boolean;
}

const stateNames: readonly PodState[] = [
  "pending",
  "starting",
  "ready",
  "unready",
  "waiting",
  "terminating",
  "succeeded",
  "failed",
];

/** @param read the value of a custom property of the page's style */
export function readPalette(read: (property: string) => string): Palette {
  const states = Object.fromEntries(stateNames.map((state) => [state, read(`--state-${state}`)]));
  return {
    text: read("--text"),
    muted: read("--muted"),
    line: read("--line"),
    surface: read("--surface"),
    accent: read("--accent"),
    gold: read("--gold"),
    bad: read("--bad"),
    states: states as Record<PodState, string>,
    silent: read("--lane-silent"),
    notReady: read("--lane-not-ready"),
    isDark: read("--scheme") === "dark",
  };
}
