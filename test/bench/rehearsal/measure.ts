import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { workerFlags } from "@kintsugi/simulator/factory";
import type { Figure } from "../figure.ts";
import { withBundle } from "./bundle-program.ts";

const run = promisify(execFile);
/**
 * A run from the loss of a node until the cluster is idle, in a process that has compiled its code.
 */
const goalMs = 500;
const sizes = [
  { nodes: 20, pods: 300, runs: 8 },
  { nodes: 200, pods: 4_000, runs: 3 },
];

/**
 * Measures the processor time of a rehearsed run: the first run of a process, and the later runs.
 */
export async function measureRehearsal(): Promise<Figure[]> {
  return withBundle(join(import.meta.dirname, "runs.ts"), async (program) => {
    const figures: Figure[] = [];
    for (const { nodes, pods, runs } of sizes) {
      const words = [program, String(nodes), String(pods), String(runs)];
      const { stdout } = await run(process.execPath, [...workerFlags, ...words]);
      const { importSeconds, runSeconds } = JSON.parse(stdout) as { importSeconds: number; runSeconds: number[] };
      const [first = 0, ...later] = runSeconds;
      figures.push({
        id: `rehearsal.run.${nodes}-nodes`,
        what: `rehearsed run, ${nodes} nodes, ${pods} pods`,
        value: (1000 * later.reduce((sum, seconds) => sum + seconds, 0)) / later.length,
        unit: "ms",
        ...(nodes === 200 ? { goal: goalMs } : {}),
        detail: `processor time; the first of a process ${first.toFixed(2)} s, the import ${importSeconds.toFixed(2)} s`,
      });
    }
    return figures;
  });
}
