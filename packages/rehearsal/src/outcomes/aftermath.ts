import { type Percentiles, percentilesOf } from "./percentiles.ts";

/** The effects of one run on the whole cluster, beyond the downtime of each workload. */
export interface Aftermath {
  /**
   * Time until every workload has the pods that it had before; undefined if that state is not
   * reached.
   */
  readonly wholeMs?: number;
  /** The most pods that were starting at one time, and the node with the most of them. */
  readonly starts: StartBurst;
  /** The longest wait for the pulls of other pods; absent if no pod waited. */
  readonly pullQueue?: PullQueue;
  /** Replacements that were evicted from their node as well. */
  readonly movedTwice: readonly string[];
  /** Pods on the remaining nodes that were preempted by a pod of higher priority. */
  readonly preempted: readonly string[];
  /** Pods of Jobs that ended before their work was done. */
  readonly lostWork: readonly LostWork[];
}

interface StartBurst {
  readonly most: number;
  readonly node: string;
  readonly onNode: number;
}

/** A node's pulls, which its kubelet makes one after the other. */
interface PullQueue {
  readonly node: string;
  /** The number of images that the node has pulled since the fault. */
  readonly pulls: number;
  /** The longest time that a pod waited for the pulls of other pods. */
  readonly waitedMs: number;
}

/** The work of a Job that has to be repeated. */
export interface LostWork {
  readonly workload: string;
  readonly pod: string;
  /** Time for which the pod had worked. */
  readonly ranMs: number;
  /** The reason why the Job has failed for good; absent if another pod repeats the work. */
  readonly failed?: string;
}

/** The aftermath of one question, over all of its runs. */
export interface AftermathAnswer {
  readonly whole: Percentiles;
  /** The share of runs that did not recover completely. */
  readonly neverWhole: number;
  /** The burst of the run with the most starts at one time. */
  readonly starts: StartBurst;
  /** The queue of the run with the longest wait. */
  readonly pullQueue?: PullQueue;
  readonly movedTwice: readonly string[];
  readonly preempted: readonly string[];
  readonly lostWork: readonly LostWork[];
}

const noStarts: StartBurst = { most: 0, node: "", onNode: 0 };

/**
 * Summarizes the aftermath of the runs of one question: for each effect, the run with the largest
 * effect.
 */
export function summarizeAftermath(runs: readonly Aftermath[]): AftermathAnswer {
  const most = <T>(read: (run: Aftermath) => T, size: (value: T) => number, none: T): T =>
    runs.map(read).reduce((best, value) => (size(value) > size(best) ? value : best), none);
  const longest = <T>(read: (run: Aftermath) => readonly T[]) => most(read, ({ length }) => length, []);
  const [pullQueue] = runs.flatMap((run) => run.pullQueue ?? []).toSorted((a, b) => b.waitedMs - a.waitedMs);
  return {
    whole: percentilesOf(runs.flatMap(({ wholeMs }) => wholeMs ?? [])),
    neverWhole: runs.filter(({ wholeMs }) => wholeMs === undefined).length / Math.max(1, runs.length),
    starts: most(
      ({ starts }) => starts,
      (burst) => burst.most,
      noStarts,
    ),
    ...(pullQueue === undefined ? {} : { pullQueue }),
    movedTwice: longest(({ movedTwice }) => movedTwice),
    preempted: longest(({ preempted }) => preempted),
    lostWork: longest(({ lostWork }) => lostWork),
  };
}
