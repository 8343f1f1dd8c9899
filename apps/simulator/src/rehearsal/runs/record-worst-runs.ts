import type { Answer } from "@kintsugi/rehearsal";
import type { Runs } from "./run-order.ts";

/** The worst run of a question, for a page on which it can be watched. */
export interface WatchedRun {
  /** The subject of the question. */
  readonly about: string;
  readonly gzipBase64: string;
}

/**
 * Maximum number of runs: with more it would be hard to select one on the page, and each recorded
 * run is simulated a second time.
 */
const watchedMax = 20;
/** Mail servers and comments accept files of at most about 25 MB. */
const textLengthMax = 20 * 1024 * 1024;

/** Simulates the worst run of the worst questions again, and records it. */
export async function recordWorstRuns(
  workers: Runs,
  { cluster, answers }: { cluster: string; answers: readonly Answer[] },
): Promise<WatchedRun[]> {
  const worst = answers
    .filter(({ workloads, drains }) => workloads.length > 0 || drains.length > 0)
    .map((answer, index) => ({ answer, index, harm: harmOf(answer) }))
    .toSorted((a, b) => b.harm - a.harm || a.index - b.index)
    .slice(0, watchedMax)
    .toSorted((a, b) => a.index - b.index);
  const recorded = await Promise.all(
    worst.map(async ({ answer: { question, worstSeed }, harm }) => {
      const report = await workers.carryOut({ do: "record", name: cluster, question, seed: worstSeed });
      return "gzipBase64" in report ? [{ about: question.about, gzipBase64: report.gzipBase64, harm }] : [];
    }),
  );
  return withinLength(recorded.flat());
}

/** The downtime of all workloads, and a small share of the time with fewer pods than before. */
function harmOf({ workloads, drains }: Answer): number {
  const stopped = drains.some(({ isDone }) => !isDone) ? 3_600_000 : 0;
  return workloads.reduce((sum, { downtime, degraded }) => sum + downtime.worst + degraded.worst / 1000, stopped);
}

/** Leaves out the least harmful runs until the remaining runs fit on a page. */
function withinLength(runs: readonly (WatchedRun & { harm: number })[]): WatchedRun[] {
  const kept = new Set<WatchedRun>();
  let length = 0;
  for (const run of runs.toSorted((a, b) => b.harm - a.harm)) {
    length += run.gzipBase64.length;
    if (length > textLengthMax) break;
    kept.add(run);
  }
  return runs.filter((run) => kept.has(run)).map(({ about, gzipBase64 }) => ({ about, gzipBase64 }));
}
