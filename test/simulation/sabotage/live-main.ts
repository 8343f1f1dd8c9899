// Lives the lives that are named in the arguments, "tight:1" for the first seed of the life
// "tight", until one fails, and writes a line of JSON for each. It runs in a process of its own,
// from a bundle in which a bug may have been planted: that may turn in circles, or end the process.
import { type LifeName, lives } from "./lives/lives.ts";
import { isServerLife, serverLives } from "./lives/servers.ts";
import type { PlannedLife } from "./lives/plot.ts";
import { runScenario, type VirtualCluster } from "@kintsugi/simulator/factory";

/** The outcome of one life. */
export interface LifeReport {
  readonly life: LifeName;
  readonly seed: number;
  /** The name of the check that failed, and its message; absent when all was well. */
  readonly failure?: { readonly check: string; readonly message: string };
  /** The reason why the life proves nothing although nothing has failed. */
  readonly void?: string;
}

let current: Pick<LifeReport, "life" | "seed"> = { life: "nothing happens", seed: 0 };
process.on("unhandledRejection", (error) => {
  tell({ ...current, failure: { check: "no rejections", message: String(error) } });
  process.exit(0);
});
for (const argument of process.argv.slice(2)) {
  const [name, seed] = argument.split(":");
  current = { life: name as LifeName, seed: Number(seed) };
  const result = await live(current.life, current.seed);
  tell({
    ...current,
    ...(result.failure && { failure: result.failure }),
    ...(result.void !== undefined && { void: result.void }),
  });
  if (result.failure) break;
}
// The remains of a planted bug must not keep the process.
process.exit(0);

type Lived = Pick<LifeReport, "failure" | "void">;

async function live(name: LifeName, seed: number): Promise<Lived> {
  if (isServerLife(name)) {
    const { violations, void: isVoid } = await serverLives[name](seed);
    const [first] = violations;
    const failure = first && { check: first.invariant, message: first.message };
    return { ...(failure && { failure }), ...(isVoid !== undefined && { void: isVoid }) };
  }
  const life: PlannedLife = lives[name](seed);
  const observe = (cluster: VirtualCluster) => {
    life.deed?.(cluster);
    return undefined;
  };
  const { failure, void: isVoid } = await runScenario(life, { observe });
  return { ...(failure && { failure }), ...(isVoid !== undefined && { void: isVoid }) };
}

function tell(report: LifeReport): void {
  process.stdout.write(`${JSON.stringify(report)}\n`);
}
