import type { Bar } from "./bar.ts";
import { degradedTimeOf, type PodShortage, readyTimes } from "./downtime.ts";
import type { Lane } from "./lane.ts";

/** The pods of one or more workloads, from this time until the next sample. */
export interface PodSample {
  readonly atMs: number;
  readonly wanted: number;
  /** Pods that are Ready in the API. */
  readonly ready: number;
  /** Ready pods on nodes that report. */
  readonly available: number;
}

/** The period of a fault, with a text for it. */
export interface FaultBar {
  readonly fromMs: number;
  /** Undefined while the fault lasts. */
  readonly toMs: number | undefined;
  readonly text: string;
}

/** The period in which a node did not report; its end is Infinity while it lasts. */
export interface Silence {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A change of the counts; the changes of several workloads are added up. */
interface Turn {
  readonly atMs: number;
  readonly ready: number;
  readonly available: number;
  readonly wanted: number;
}

/** Maximum number of samples, more than a picture shows; the oldest are dropped. */
const samplesMax = 50_000;

/**
 * The periods in which a node did not report. The silence of a node begins with its last report,
 * one grace period before the API shows the silence.
 * @param lateSinceMs the last report of a node that is late, while the API does not show the
 * silence yet
 */
export function silencesOf(
  { spans }: Pick<Lane, "spans">,
  { graceMs, lateSinceMs }: { graceMs: number; lateSinceMs?: number | undefined },
): Silence[] {
  const found = spans.flatMap(({ state, fromMs }, i) => {
    if (state !== "silent" || spans[i - 1]?.state === "silent") return [];
    const back = spans.slice(i).find((span) => span.state !== "silent");
    return [{ fromMs: fromMs - graceMs, toMs: back?.fromMs ?? Infinity }];
  });
  const isMarked = found.at(-1)?.toMs === Infinity;
  return lateSinceMs === undefined || isMarked ? found : [...found, { fromMs: lateSinceMs, toMs: Infinity }];
}

/**
 * The changes of a workload's counts. A workload wants as many pods as it has had, but at most its
 * current number, so its first start is not a shortage.
 */
export function turnsOf(
  bars: readonly Bar[],
  { wanted, silences }: { wanted: number; silences: (node: string) => readonly Silence[] },
): Turn[] {
  const turns: Turn[] = [];
  const add = ({ fromMs, toMs }: Silence, ready: number, available: number) => {
    if (toMs <= fromMs) return;
    turns.push({ atMs: fromMs, ready, available, wanted: 0 });
    if (toMs !== Infinity) turns.push({ atMs: toMs, ready: -ready, available: -available, wanted: 0 });
  };
  for (const bar of bars)
    for (const time of readyTimes(bar)) {
      add(time, 1, 1);
      for (const { fromMs, toMs } of silences(bar.node))
        add({ fromMs: Math.max(time.fromMs, fromMs), toMs: Math.min(time.toMs, toMs) }, 0, -1);
    }
  turns.sort(inTime);
  let ready = 0;
  let most = 0;
  return turns.map((turn) => {
    ready += turn.ready;
    const before = most;
    most = Math.min(wanted, Math.max(most, ready));
    return { ...turn, wanted: most - before };
  });
}

/** Adds up the changes of workloads to samples in the order of time. */
export function samplesOf(turns: Turn[]): PodSample[] {
  const samples: PodSample[] = [];
  let [ready, available, wanted] = [0, 0, 0];
  for (const turn of turns.toSorted(inTime)) {
    ready += turn.ready;
    available += turn.available;
    wanted += turn.wanted;
    const sample = { atMs: turn.atMs, wanted, ready, available };
    if (samples.at(-1)?.atMs === turn.atMs) samples[samples.length - 1] = sample;
    else samples.push(sample);
  }
  return samples.slice(-samplesMax);
}

/**
 * The periods in which fewer pods than wanted were available, and the periods without any available
 * pod, until now.
 */
export function shortagesOf(
  samples: readonly PodSample[],
  nowMs: number,
): { shortages: PodShortage[]; downMs: number; degradedMs: number } {
  const shortages: { fromMs: number; toMs: number | undefined; byNode: boolean }[] = [];
  let downMs = 0;
  for (const [i, { atMs, wanted, available }] of samples.entries()) {
    if (atMs > nowMs) break;
    const untilMs = Math.min(nowMs, samples[i + 1]?.atMs ?? nowMs);
    const open = shortages.at(-1);
    if (available >= wanted) {
      if (open?.toMs === undefined && open !== undefined) open.toMs = atMs;
      continue;
    }
    if (open === undefined || open.toMs !== undefined) shortages.push({ fromMs: atMs, toMs: undefined, byNode: false });
    if (available === 0) downMs += untilMs - atMs;
  }
  return { shortages, downMs, degradedMs: degradedTimeOf(shortages, nowMs) };
}

/** A successor that is ready at the same moment fills the gap. */
function inTime(a: Turn, b: Turn): number {
  return a.atMs - b.atMs || b.ready - a.ready;
}
