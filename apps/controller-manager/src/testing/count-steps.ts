import { Session } from "node:inspector/promises";

/** Executed blocks by function, as `file: function`. */
export type StepCounts = ReadonlyMap<string, number>;

/**
 * Counts the blocks that are executed while `act` runs: of every function, loop body and branch of
 * the files that `counts` accepts. Unlike time it is the same on every machine and in every run.
 */
export async function countSteps(counts: (file: string) => boolean, act: () => Promise<void>): Promise<StepCounts> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    // The counts until now are of no interest.
    await session.post("Profiler.takePreciseCoverage");
    await act();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const steps = new Map<string, number>();
    for (const { url, functions } of result.filter(({ url }) => counts(url))) {
      for (const { functionName, ranges } of functions) {
        const name = `${url.slice(url.lastIndexOf("/src/") + 5)}: ${functionName}`;
        const count = ranges.reduce((sum, range) => sum + range.count, 0);
        if (count > 0) steps.set(name, (steps.get(name) ?? 0) + count);
      }
    }
    return steps;
  } finally {
    await session.post("Profiler.stopPreciseCoverage");
    session.disconnect();
  }
}
