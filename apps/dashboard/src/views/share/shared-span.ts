import type { Recovery } from "@kintsugi/story";
import type { RunTime } from "../../drawing/scale.ts";

/** Length of the shown time of a live cluster without a recovery. */
const lastMs = 5 * 60_000;
/** The time before a recovery and after it, as a part of its length. */
const [beforePart, afterPart] = [0.08, 0.12];
const aroundMsMin = 2_000;

interface SpanFacts {
  /** The newest first. */
  readonly recoveries: readonly Recovery[];
  /** The silence before a node is considered NotReady. */
  readonly graceMs: number;
  /** The whole recording; undefined for a live cluster. */
  readonly run: RunTime | undefined;
  /** The latest time that is shown. */
  readonly untilMs: number;
}

/** The time that a film or a picture shows. */
export interface SharedSpan extends RunTime {
  /** The words for the shown part. */
  readonly of: "the last recovery" | "the whole run" | "the run so far" | "the last 5 minutes";
}

/** The time that a film shows: the last recovery, otherwise the recording or the last minutes. */
export function sharedSpan({ recoveries, graceMs, run, untilMs }: SpanFacts): SharedSpan {
  const begun = recoveries.filter(({ steps }) => (steps[0]?.atMs ?? Infinity) < untilMs);
  const recovery = begun.find(({ isOver }) => isOver) ?? begun[0];
  const [first, last] = [recovery?.steps[0]?.atMs, recovery?.steps.at(-1)?.atMs];
  if (first === undefined || last === undefined) {
    if (run === undefined) return { fromMs: untilMs - lastMs, toMs: untilMs, of: "the last 5 minutes" };
    return { fromMs: run.fromMs, toMs: Math.min(untilMs, run.toMs), of: runInWords(run, untilMs) };
  }
  const silentMs = first - graceMs;
  const lengthMs = last - silentMs;
  const fromMs = silentMs - Math.max(aroundMsMin, lengthMs * beforePart);
  const toMs = last + Math.max(aroundMsMin, lengthMs * afterPart);
  return {
    fromMs: Math.max(fromMs, run?.fromMs ?? -Infinity),
    toMs: Math.min(untilMs, toMs),
    of: "the last recovery",
  };
}

/** The part of a run that may be shown. */
export function runInWords({ toMs }: RunTime, untilMs: number): "the whole run" | "the run so far" {
  return untilMs < toMs ? "the run so far" : "the whole run";
}
