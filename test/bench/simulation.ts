import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { workerFlags } from "@kintsugi/simulator/factory";
import type { Figure } from "./figure.ts";
import { withBundle } from "./rehearsal/bundle-program.ts";

const run = promisify(execFile);

/** The simulator's goal with the faults of a usual seed; elections run in a quarter of them. */
const goalHoursPerMinute = 100;

/** V8 has compiled nearly all of a run's code by then, so each later hour costs the same. */
const warmAfterHours = 12;

interface MeasuredRun {
  virtualHours: number;
  cpuSeconds: number;
  /** The processor time of each whole hour. */
  cpuSecondsByHour: number[];
  faults: number;
  changes: number;
}

/**
 * Measures the virtual time of a cluster per minute of one core. It runs from a bundle, so loading
 * TypeScript is not counted. A run of more than twelve hours also shows the cost of its later
 * hours.
 */
export async function measureSimulation(hours: number): Promise<Figure[]> {
  return withBundle(join(import.meta.dirname, "simulation-run.ts"), async (program) => {
    const figures: Figure[] = [];
    for (const elections of ["off", "on"]) {
      for (const faultEverySeconds of [0, 120]) {
        figures.push(...(await measureRun(program, { hours, faultEverySeconds, elections })));
      }
    }
    return figures;
  });
}

async function measureRun(
  program: string,
  { hours, faultEverySeconds, elections }: { hours: number; faultEverySeconds: number; elections: string },
): Promise<Figure[]> {
  const { stdout } = await run(process.execPath, [
    ...workerFlags,
    program,
    String(hours),
    String(faultEverySeconds),
    elections,
  ]);
  const { virtualHours, cpuSeconds, cpuSecondsByHour, faults, changes } = JSON.parse(stdout) as MeasuredRun;
  const isGoal = faultEverySeconds > 0 && elections === "off";
  const whole: Figure = {
    id: `simulation.${faultEverySeconds > 0 ? "faults" : "idle"}.elections-${elections}`,
    what: `simulated cluster, ${faultEverySeconds > 0 ? "a fault every two minutes" : "idle"}, elections ${elections}`,
    value: (virtualHours * 60) / cpuSeconds,
    unit: "h/min",
    ...(isGoal ? { goal: goalHoursPerMinute } : {}),
    detail: `3 nodes, 30 pods; ${Math.round(changes / virtualHours)} changes and ${Math.round(faults / virtualHours)} faults an hour`,
  };
  const warm = cpuSecondsByHour.slice(warmAfterHours);
  if (warm.length === 0) return [whole];
  return [
    whole,
    {
      ...whole,
      id: `${whole.id}.warm`,
      what: `${whole.what}, from hour ${warmAfterHours + 1} on`,
      value: (warm.length * 60) / warm.reduce((sum, seconds) => sum + seconds, 0),
    },
  ];
}
