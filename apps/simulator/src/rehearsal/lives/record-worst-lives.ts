import type { Answer } from "@kintsugi/rehearsal";
import type { Lives } from "./life-order.ts";

/** The worst life of a question, for a page on which it can be watched. */
export interface WatchedLife {
  /** The subject of the question. */
  readonly about: string;
  readonly gzipBase64: string;
}

/** A page with more lives is chosen from with difficulty, and each is lived through once more. */
const watchedMax = 20;
/** A mail server or a comment takes no larger file than some 25 MB. */
const textLengthMax = 20 * 1024 * 1024;

/** Lives through the worst life of the worst questions again, and records it. */
export async function recordWorstLives(
  workers: Lives,
  { cluster, answers }: { cluster: string; answers: readonly Answer[] },
): Promise<WatchedLife[]> {
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

/** The downtime of all workloads, and a little of the time with fewer pods than before. */
function harmOf({ workloads, drains }: Answer): number {
  const stopped = drains.some(({ isDone }) => !isDone) ? 3_600_000 : 0;
  return workloads.reduce((sum, { downtime, degraded }) => sum + downtime.worst + degraded.worst / 1000, stopped);
}

/** Leaves the least harmful away until the rest is no longer than a page may be. */
function withinLength(lives: readonly (WatchedLife & { harm: number })[]): WatchedLife[] {
  const kept = new Set<WatchedLife>();
  let length = 0;
  for (const life of lives.toSorted((a, b) => b.harm - a.harm)) {
    length += life.gzipBase64.length;
    if (length > textLengthMax) break;
    kept.add(life);
  }
  return lives.filter((life) => kept.has(life)).map(({ about, gzipBase64 }) => ({ about, gzipBase64 }));
}
