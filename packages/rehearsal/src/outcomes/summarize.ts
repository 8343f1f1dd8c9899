import type { RehearsalQuestion } from "../questions/question.ts";
import { type AftermathAnswer, summarizeAftermath } from "./aftermath.ts";
import { type Percentiles, percentilesOf } from "./percentiles.ts";
import type { CauseStep, DrainTurn, RunOutcome, PendingPod, StuckPod, WorkloadOutcome } from "./outcome.ts";

/** The effect of a question on one workload. */
export interface WorkloadAnswer {
  readonly workload: string;
  readonly kind: string;
  readonly before: number;
  /** The fewest pods that were available at one time, in the worst of all runs. */
  readonly fewest: number;
  readonly downtime: Percentiles;
  readonly degraded: Percentiles;
  readonly belowBudget: Percentiles;
  /** The share of runs at whose end no pod was available. */
  readonly downAtEnd: number;
  /** The share of runs at whose end fewer were available than before. */
  readonly degradedAtEnd: number;
  /** The share of runs at whose end fewer were available than the budget keeps. */
  readonly belowBudgetAtEnd: number;
  /** The chain of causes of the worst run. */
  readonly chain: readonly CauseStep[];
  readonly unmodelledOwner?: string;
}

/** The answer to one question, over all of its runs. */
export interface Answer {
  readonly question: RehearsalQuestion;
  readonly runs: number;
  /** The seed of the worst run: the most total downtime, then the most degraded time. */
  readonly worstSeed: number;
  /** Workloads with a downtime first, the longest first. */
  readonly workloads: readonly WorkloadAnswer[];
  readonly pending: readonly PendingPod[];
  readonly stuck: readonly StuckPod[];
  readonly drains: readonly DrainTurn[];
  readonly aftermath: AftermathAnswer;
  /** The reason why a run was ended before the cluster became idle. */
  readonly cutShort?: string;
}

export function summarize(question: RehearsalQuestion, runs: readonly RunOutcome[]): Answer {
  const names = [...new Set(runs.flatMap(({ workloads }) => workloads.map(({ workload }) => workload)))];
  const workloads = names.map((name) => answerOf(name, runs)).toSorted(compareAnswers);
  // The runs differ in their times and in the outcomes of ties. The run with the most broken
  // objects represents all runs.
  const most = runs.toSorted((a, b) => b.pending.length + b.stuck.length - a.pending.length - a.stuck.length)[0];
  const slowest = runs.toSorted((a, b) => b.durationMs - a.durationMs)[0];
  const cutShort = runs.find((run) => run.cutShort !== undefined)?.cutShort;
  return {
    question,
    runs: runs.length,
    worstSeed: worstOf(runs)?.seed ?? 0,
    workloads,
    pending: most?.pending ?? [],
    stuck: most?.stuck ?? [],
    drains: slowest?.drains ?? [],
    aftermath: summarizeAftermath(runs.map(({ aftermath }) => aftermath)),
    ...(cutShort === undefined ? {} : { cutShort }),
  };
}

function worstOf(runs: readonly RunOutcome[]): RunOutcome | undefined {
  const sum = ({ workloads }: RunOutcome, read: (outcome: WorkloadOutcome) => number) =>
    workloads.reduce((total, outcome) => total + read(outcome), 0);
  const measures = (run: RunOutcome) => [
    sum(run, ({ isDownAtEnd }) => Number(isDownAtEnd)),
    sum(run, ({ downtimeMs }) => downtimeMs),
    run.pending.length + run.drains.filter(({ isDone }) => !isDone).length,
    sum(run, ({ degradedMs }) => degradedMs),
  ];
  return runs.toSorted((a, b) => {
    const [before, after] = [measures(a), measures(b)];
    const at = before.findIndex((value, index) => value !== after[index]);
    return at < 0 ? a.seed - b.seed : (after[at] ?? 0) - (before[at] ?? 0);
  })[0];
}

function answerOf(name: string, runs: readonly RunOutcome[]): WorkloadAnswer {
  const found = runs.map(({ workloads }) => workloads.find(({ workload }) => workload === name));
  const some = found.filter((each): each is WorkloadOutcome => each !== undefined);
  const worst = some.toSorted(
    (a, b) => b.downtimeMs - a.downtimeMs || b.degradedMs - a.degradedMs,
  )[0] as WorkloadOutcome;
  const spread = (read: (outcome: WorkloadOutcome) => number) =>
    percentilesOf(found.map((each) => (each ? read(each) : 0)));
  const share = (holds: (outcome: WorkloadOutcome) => boolean) => some.filter(holds).length / runs.length;
  return {
    workload: name,
    kind: worst.kind,
    before: worst.before,
    fewest: Math.min(...some.map(({ fewest }) => fewest)),
    downtime: spread(({ downtimeMs }) => downtimeMs),
    degraded: spread(({ degradedMs }) => degradedMs),
    belowBudget: spread(({ belowBudgetMs }) => belowBudgetMs),
    downAtEnd: share(({ isDownAtEnd }) => isDownAtEnd),
    degradedAtEnd: share(({ isDegradedAtEnd }) => isDegradedAtEnd),
    belowBudgetAtEnd: share(({ isBelowBudgetAtEnd }) => isBelowBudgetAtEnd),
    chain: worst.chain,
    ...(worst.unmodelledOwner === undefined ? {} : { unmodelledOwner: worst.unmodelledOwner }),
  };
}

function compareAnswers(a: WorkloadAnswer, b: WorkloadAnswer): number {
  return (
    b.downAtEnd - a.downAtEnd ||
    b.downtime.worst - a.downtime.worst ||
    b.degraded.worst - a.degraded.worst ||
    (a.workload < b.workload ? -1 : 1)
  );
}
