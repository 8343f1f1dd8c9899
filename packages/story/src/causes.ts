import type { TimerProfile } from "@kintsugi/api";
import { type Bar, stateOf } from "./bar.ts";
import type { Lane } from "./lane.ts";

/** One pod replaced another. */
export interface Replacement {
  readonly lost: Bar;
  readonly lostMs: number;
  readonly next: Bar;
}

/** A successor is created within this time, or the workload did not need a successor. */
const successionMaxMs = 10 * 60_000;

/**
 * Pairs lost pods with the pods that were created after them, within one workload and in order: the
 * first loss with the first new pod after it.
 */
export function replacementsIn(bars: readonly Bar[]): Replacement[] {
  const births = bars.toSorted((a, b) => a.fromMs - b.fromMs);
  const losses = bars
    .flatMap((bar) => {
      const lostMs = lossOf(bar);
      return lostMs === undefined ? [] : [{ lost: bar, lostMs }];
    })
    .toSorted((a, b) => a.lostMs - b.lostMs);
  const found: Replacement[] = [];
  let from = 0;
  for (const { lost, lostMs } of losses) {
    while (births[from] !== undefined && (births[from] as Bar).fromMs < lostMs) from++;
    const next = births[from];
    if (next === undefined) break;
    if (next === lost || next.fromMs - lostMs > successionMaxMs) continue;
    found.push({ lost, lostMs, next });
    from++;
  }
  return found;
}

/** The time from which a pod needs a successor: its deletion or its failure. */
function lossOf({ spans, toMs }: Bar): number | undefined {
  return spans.find(({ state }) => state === "terminating" || state === "failed")?.fromMs ?? toMs;
}

/** The turn of a recovery to which the step belongs. */
export type RecoveryTurn = "silent" | "deleted" | "replaced" | "ready" | "returned";

/** One part of a recovery, with the part of its time that was a timer by design. */
export interface RecoveryStep {
  readonly is: RecoveryTurn;
  readonly what: string;
  readonly atMs: number;
  /** The time since the previous step; undefined for the first step. */
  readonly tookMs: number | undefined;
  readonly timerMs: number;
}

/** The steps from a silent node to pods that are ready on other nodes. */
export interface Recovery {
  readonly node: string;
  readonly steps: readonly RecoveryStep[];
  /** The pods that the node has lost so far, with their successors. */
  readonly replacements: readonly Replacement[];
  /** The last lost pod has a ready successor, or the node has returned. */
  readonly isOver: boolean;
}

/** Lists the recoveries from silent nodes, the newest first. */
export function recoveriesOf(
  lanes: readonly Lane[],
  replacements: readonly Replacement[],
  timers: Pick<TimerProfile, "defaultTolerationSeconds">,
): Recovery[] {
  return lanes
    .flatMap((lane) =>
      lane.spans.flatMap(({ state, fromMs }, i) => {
        if (state !== "silent" || lane.spans[i - 1]?.state === "silent") return [];
        const backMs = lane.spans.slice(i).find((span) => span.state === "ready")?.fromMs;
        return [recoveryOf(lane.node, { fromMs, backMs }, { replacements, timers })];
      }),
    )
    .toSorted((a, b) => (b.steps[0]?.atMs ?? 0) - (a.steps[0]?.atMs ?? 0));
}

function recoveryOf(
  node: string,
  { fromMs, backMs }: { fromMs: number; backMs: number | undefined },
  known: { replacements: readonly Replacement[]; timers: Pick<TimerProfile, "defaultTolerationSeconds"> },
): Recovery {
  const own = known.replacements.filter(
    ({ lost, lostMs }) => lost.node === node && lostMs >= fromMs && lostMs <= (backMs ?? Infinity),
  );
  const steps: RecoveryStep[] = [];
  const add = (
    is: RecoveryTurn,
    atMs: number | undefined,
    { what, timerMs = 0 }: { what: string; timerMs?: number },
  ) => {
    if (atMs === undefined) return;
    const before = steps.at(-1)?.atMs;
    steps.push({ is, what, atMs, tookMs: before === undefined ? undefined : atMs - before, timerMs });
  };
  add("silent", fromMs, { what: `${node} counted as silent` });
  add("deleted", firstOf(own.map(({ lostMs }) => lostMs)), {
    what: deleted(own.length),
    timerMs: known.timers.defaultTolerationSeconds * 1000,
  });
  add("replaced", firstOf(own.map(({ next }) => next.fromMs)), { what: "successors were created" });
  const readyMs = own.map(({ next }) => next.spans.find(({ state }) => state === "ready")?.fromMs);
  const allReady = own.length > 0 && readyMs.every((each) => each !== undefined);
  if (allReady) add("ready", Math.max(...(readyMs as number[])), { what: "all replacements were ready" });
  add("returned", backMs, { what: `${node} returned` });
  return {
    node,
    steps: steps.toSorted((a, b) => a.atMs - b.atMs),
    replacements: own,
    isOver: allReady || backMs !== undefined,
  };
}

function deleted(pods: number): string {
  return pods === 1 ? "its pod was deleted" : `its ${pods} pods were deleted`;
}

function firstOf(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Reports whether a node was silent at that time, or became silent a moment later. */
export function wasSilent({ spans }: Pick<Lane, "spans">, atMs: number): boolean {
  const after = spans.filter(({ fromMs }) => fromMs <= atMs + markDelayMs).at(-1);
  return after?.state === "silent";
}

/** The pods of a silent node are marked shortly after the node. */
const markDelayMs = 2_000;

/** Reports whether a bar shows trouble, for the filter of warnings. */
export function isTroubled(bar: Bar): boolean {
  const state = stateOf(bar);
  return state === "waiting" || state === "failed" || state === "unready" || bar.marks.length > 0;
}
