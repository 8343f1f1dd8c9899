import type { Answer, WorkloadAnswer } from "../outcomes/summarize.ts";
import { endlessShare, secondsText } from "./words.ts";

/** A change of the cluster, and each question before and after it. */
export interface ChangeComparison {
  /** The file or directory with the changed objects. */
  readonly name: string;
  /** The objects that are changed, added or removed: "changed shop/deployment/web". */
  readonly objects: readonly string[];
  /** Sentences about pods that have no node after the rollout of the change itself. */
  readonly unplaced: readonly string[];
  readonly rows: readonly ComparedRow[];
}

type Verdict = "better" | "worse" | "same";

/** One measure of one question that is not zero before or after. */
export interface ComparedRow {
  readonly about: string;
  /** A workload, or the drains of the question. */
  readonly subject: string;
  readonly measure: "down" | "below budget" | "without a node" | "drains";
  readonly before: string;
  readonly after: string;
  readonly verdict: Verdict;
}

/** Runs differ in their random numbers, so a smaller difference is not significant. */
const noiseMs = 5_000;
const noiseShare = 0.1;

/** Compares the answers to the same questions; a question that only one side has is omitted. */
export function comparedRows(before: readonly Answer[], after: readonly Answer[]): ComparedRow[] {
  const earlier = new Map(before.map((answer) => [answer.question.about, answer]));
  return after.flatMap((answer) => {
    const other = earlier.get(answer.question.about);
    return other === undefined ? [] : rowsOf(other, answer);
  });
}

/** The rows that differ, the worse rows first. */
export function differingRows(rows: readonly ComparedRow[]): ComparedRow[] {
  return (["worse", "better"] as const).flatMap((sort) => rows.filter(({ verdict }) => verdict === sort));
}

function rowsOf(before: Answer, after: Answer): ComparedRow[] {
  const { about } = after.question;
  const names = [...new Set([...before.workloads, ...after.workloads].map(({ workload }) => workload))].toSorted();
  const ofWorkloads = names.flatMap((subject): ComparedRow[] => {
    const [a, b] = [before, after].map(({ workloads }) => workloads.find(({ workload }) => workload === subject));
    return [
      spanRow({ about, subject, measure: "down" }, downMs(a), downMs(b)),
      spanRow({ about, subject, measure: "below budget" }, belowMs(a), belowMs(b)),
    ].flat();
  });
  const pending = countRow(
    { about, subject: "pods", measure: "without a node" },
    before.pending.length,
    after.pending.length,
  );
  return [...ofWorkloads, ...pending, ...drainRow(before, after)];
}

/** A downtime that does not end is longer than any downtime that ends. */
function downMs(answer: WorkloadAnswer | undefined): number {
  if (answer === undefined) return 0;
  return answer.downAtEnd > endlessShare ? Infinity : answer.downtime.p95;
}

function belowMs(answer: WorkloadAnswer | undefined): number {
  if (answer === undefined) return 0;
  return answer.belowBudgetAtEnd > endlessShare ? Infinity : answer.belowBudget.p95;
}

type RowHead = Pick<ComparedRow, "about" | "subject" | "measure">;

function spanRow(head: RowHead, beforeMs: number, afterMs: number): ComparedRow[] {
  if (beforeMs === 0 && afterMs === 0) return [];
  const isSame = beforeMs === afterMs || Math.abs(afterMs - beforeMs) <= Math.max(noiseMs, beforeMs * noiseShare);
  const isNoise = isSame && (beforeMs === 0) === (afterMs === 0);
  const verdict = isNoise ? "same" : afterMs > beforeMs ? "worse" : "better";
  return [{ ...head, before: spanText(beforeMs), after: spanText(afterMs), verdict }];
}

function countRow(head: RowHead, before: number, after: number): ComparedRow[] {
  if (before === 0 && after === 0) return [];
  const verdict = before === after ? "same" : after > before ? "worse" : "better";
  return [{ ...head, before: String(before), after: String(after), verdict }];
}

function drainRow(before: Answer, after: Answer): ComparedRow[] {
  if (before.drains.length === 0 && after.drains.length === 0) return [];
  const [a, b] = [before, after].map(({ drains }) => drains.find(({ isDone }) => !isDone)?.node);
  const text = (node: string | undefined) => (node === undefined ? "end" : `stop at ${node}`);
  const isSame = (a === undefined) === (b === undefined);
  const verdict = isSame ? "same" : b === undefined ? "better" : "worse";
  return [
    { about: after.question.about, subject: "drains", measure: "drains", before: text(a), after: text(b), verdict },
  ];
}

function spanText(ms: number): string {
  return ms === Infinity ? "forever" : secondsText(ms);
}
