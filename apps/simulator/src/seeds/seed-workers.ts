import { type ChildProcess, fork } from "node:child_process";
import { inspect } from "node:util";
import { workerFlags } from "../cluster/worker-flags.ts";
import type { DrawOptions } from "./draw-scenario.ts";
import type { ScenarioResult } from "../run/run-scenario.ts";
import { simulateSeed } from "./simulate-seed.ts";

// One process can use one core, and a run in it cannot be interrupted. Runs are therefore
// distributed to processes, one at a time:
//
//   parent ── { seed, draw } ──► worker   a worker that dies loses one seed, which
//   parent ◄── { result } ────── worker   counts as failed, and another worker starts

/** The first word on the command line of a process that is a worker. */
export const workerCommand = "seeds-worker";

const execArgv = [...process.execArgv, ...workerFlags];

interface Order {
  seed: number;
  draw: DrawOptions;
}

type Report = { result: ScenarioResult } | { crash: string };

/** The outcome of one seed: its result, or the end of the process that simulated it. */
export type SeedOutcome = { seed: number } & Report;

/** Yields the outcomes in the order of their arrival; the reports need the figures of all. */
export async function* runInWorkers(
  seeds: readonly number[],
  draw: DrawOptions,
  workers: number,
): AsyncGenerator<SeedOutcome, void> {
  const left = [...seeds];
  const pool = Array.from({ length: Math.min(workers, seeds.length) }, () => new Worker());
  const busy = new Map<Worker, Promise<{ worker: Worker; outcome: SeedOutcome }>>();
  const order = (worker: Worker) => {
    const seed = left.shift();
    if (seed === undefined) busy.delete(worker);
    else
      busy.set(
        worker,
        worker.live({ seed, draw }).then((report) => ({ worker, outcome: { seed, ...report } })),
      );
  };
  try {
    for (const worker of pool) order(worker);
    while (busy.size > 0) {
      const { worker, outcome } = await Promise.race(busy.values());
      order(worker);
      yield outcome;
    }
  } finally {
    for (const worker of pool) worker.end();
  }
}

class Worker {
  #child: ChildProcess | undefined;

  live(order: Order): Promise<Report> {
    const child = (this.#child ??= fork(process.argv[1] ?? "", [workerCommand], { execArgv }));
    return new Promise((resolve) => {
      const onExit = (code: number | null, signal: string | null) => {
        this.#child = undefined;
        resolve({ crash: `its process ended with ${signal ?? code}` });
      };
      child.once("exit", onExit);
      child.once("message", (report) => {
        child.off("exit", onExit);
        // Only workers of this program respond.
        resolve(report as Report);
      });
      child.send(order);
    });
  }

  end(): void {
    this.#child?.kill();
  }
}

/** Simulates the seeds that its parent sends, until the parent disconnects. */
export function workOnSeeds(): void {
  const send = (report: Report) => process.send?.(report);
  process.on("unhandledRejection", (error) => {
    send({ crash: unheard(error) });
    process.disconnect();
  });
  process.on("message", (order) => {
    const { seed, draw } = order as Order;
    void simulateSeed({ seed, ...draw }).then(
      (result) => send({ result }),
      (error: unknown) => send({ crash: inspect(error) }),
    );
  });
}

export function unheard(error: unknown): string {
  return `unhandled rejection: ${inspect(error)}`;
}
