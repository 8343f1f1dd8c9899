import { Session } from "node:inspector/promises";

interface StepCount {
  calls: number;
  /** Executed blocks, including the function's own. */
  steps: number;
}

/** Counts by function, as `file: function`. */
export type StepCounts = ReadonlyMap<string, StepCount>;

let session: Session | undefined;

/**
 * Starts the counting for this process. V8 counts blocks only in functions that it compiles from
 * now on, so import the measured modules afterwards. The counting cannot be stopped.
 */
export async function startCounting(): Promise<void> {
  session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
}

/**
 * Counts the blocks that are executed while `act` runs: of every function, loop body and branch of
 * the files that `counts` accepts. Unlike time, the count is the same on every machine and in every
 * run.
 */
export async function countSteps(counts: (file: string) => boolean, act: () => Promise<void>): Promise<StepCounts> {
  if (session === undefined) throw new Error("steps are counted after startCounting() only");
  // The previous counts are discarded.
  await session.post("Profiler.takePreciseCoverage");
  await act();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const counted = new Map<string, StepCount>();
  for (const { url, functions } of result.filter(({ url }) => counts(url))) {
    for (const { functionName, ranges } of functions) {
      const name = `${url.slice(url.lastIndexOf("/src/") + 5)}: ${functionName}`;
      const steps = ranges.reduce((sum, range) => sum + range.count, 0);
      if (steps === 0) continue;
      const known = counted.get(name) ?? { calls: 0, steps: 0 };
      // The first range is the whole function.
      counted.set(name, { calls: known.calls + (ranges[0]?.count ?? 0), steps: known.steps + steps });
    }
  }
  return counted;
}
