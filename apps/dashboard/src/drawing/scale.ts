/** The relation of time and width. */
export interface TimeScale {
  readonly nowMs: number;
  readonly nowX: number;
  readonly width: number;
  readonly msPerPixel: number;
}

/** The beginning and the end of a recorded run. */
export interface RunTime {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The part of the width for the past, when the line of the present time does not move. */
const pastShare = 0.72;
/** The part of the width for a whole run; timers at its end need the rest. */
const runShare = 0.9;

/** The line of the present time does not move, and the past moves to the left. */
export function scaleFor({ nowMs, width, spanMs }: { nowMs: number; width: number; spanMs: number }): TimeScale {
  const nowX = Math.round(width * pastShare);
  return { nowMs, nowX, width, msPerPixel: spanMs / Math.max(1, nowX) };
}

/**
 * The picture of the whole run does not move, and the line of the present time moves through the
 * picture.
 */
export function scaleOfRun({ nowMs, width, run }: { nowMs: number; width: number; run: RunTime }): TimeScale {
  const msPerPixel = Math.max(1, run.toMs - run.fromMs) / Math.max(1, width * runShare);
  return { nowMs, nowX: Math.round((nowMs - run.fromMs) / msPerPixel), width, msPerPixel };
}

export function xOf({ nowMs, nowX, msPerPixel }: TimeScale, atMs: number): number {
  return nowX + (atMs - nowMs) / msPerPixel;
}

export function timeAt({ nowMs, nowX, msPerPixel }: TimeScale, x: number): number {
  return nowMs + (x - nowX) * msPerPixel;
}

const second = 1000;
const minute = 60 * second;
const stepsMs = [1, 2, 5, 10, 15, 30].map((n) => n * second).concat([1, 2, 5, 10, 15, 30, 60].map((n) => n * minute));
/** Width that labels such as 13:04:05 need. */
const labelPixels = 76;

/** Lists the times on the axis, so that their labels do not touch. */
export function ticksOf(scale: TimeScale): number[] {
  const stepMs = stepsMs.find((each) => each / scale.msPerPixel >= labelPixels) ?? 60 * minute;
  const ticks: number[] = [];
  const lastMs = timeAt(scale, scale.width);
  for (let atMs = Math.ceil(timeAt(scale, 0) / stepMs) * stepMs; atMs <= lastMs; atMs += stepMs) ticks.push(atMs);
  return ticks;
}
