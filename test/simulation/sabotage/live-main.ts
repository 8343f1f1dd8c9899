// Simulates the runs that are named in the arguments, "tight:1" for the first seed of the run
// "tight", until one fails, and writes a line of JSON for each. It runs in a separate process, from
// a bundle in which a bug may have been planted, which may loop forever or end the process.
import { type RunName, runs } from "./runs/runs.ts";
import { isServerRun, serverRuns } from "./runs/servers.ts";
import type { PlannedRun } from "./runs/plot.ts";
import { runScenario, type VirtualCluster } from "@kintsugi/simulator/factory";

/** The outcome of one run. */
export interface RunReport {
  readonly run: RunName;
  readonly seed: number;
  /** The name of the failed check, and its message; absent for a run without failures. */
  readonly failure?: { readonly check: string; readonly message: string };
  /** The reason why the run is not a valid test although no check has failed. */
  readonly void?: string;
}

let current: Pick<RunReport, "run" | "seed"> = { run: "there are no faults", seed: 0 };
process.on("unhandledRejection", (error) => {
  tell({ ...current, failure: { check: "no rejections", message: String(error) } });
  process.exit(0);
});
for (const argument of process.argv.slice(2)) {
  const [name, seed] = argument.split(":");
  current = { run: name as RunName, seed: Number(seed) };
  const result = await live(current.run, current.seed);
  tell({
    ...current,
    ...(result.failure && { failure: result.failure }),
    ...(result.void !== undefined && { void: result.void }),
  });
  if (result.failure) break;
}
// The remains of a planted bug must not keep the process alive.
process.exit(0);

type Outcome = Pick<RunReport, "failure" | "void">;

async function live(name: RunName, seed: number): Promise<Outcome> {
  if (isServerRun(name)) {
    const { violations, void: isVoid } = await serverRuns[name](seed);
    const [first] = violations;
    const failure = first && { check: first.invariant, message: first.message };
    return { ...(failure && { failure }), ...(isVoid !== undefined && { void: isVoid }) };
  }
  const run: PlannedRun = runs[name](seed);
  const observe = (cluster: VirtualCluster) => {
    run.deed?.(cluster);
    return undefined;
  };
  const { failure, void: isVoid } = await runScenario(run, { observe });
  return { ...(failure && { failure }), ...(isVoid !== undefined && { void: isVoid }) };
}

function tell(report: RunReport): void {
  process.stdout.write(`${JSON.stringify(report)}\n`);
}
