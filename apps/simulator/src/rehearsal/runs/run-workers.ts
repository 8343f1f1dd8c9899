import { type ChildProcess, fork } from "node:child_process";
import { inspect } from "node:util";
import { workerFlags } from "../../cluster/worker-flags.ts";
import { type Runs, RunWorker, type Order, type OrderReport, type WorkerCluster } from "./run-order.ts";

/** The first word on the command line of a process that simulates. */
export const runWorkerCommand = "rehearse-worker";

type Message = { readonly report: OrderReport } | { readonly crash: string };

/** A run that ended its process, or a process that ended without a run's fault. */
export class RunFailed extends Error {
  override readonly name = "RunFailed";
}

/**
 * Processes that simulate: one process can use one core, and a run cannot be interrupted inside its
 * process.
 */
export class RunWorkers implements Runs, Disposable {
  readonly #children: ChildProcess[];
  readonly #idle: ChildProcess[];
  readonly #waiting: ((child: ChildProcess) => void)[] = [];
  readonly #clusters = new Map<string, WorkerCluster>();
  readonly #has = new Map<ChildProcess, Set<string>>();

  constructor(count: number) {
    const execArgv = [...process.execArgv, ...workerFlags];
    this.#children = Array.from({ length: count }, () =>
      fork(process.argv[1] ?? "", [runWorkerCommand], { execArgv, serialization: "advanced" }),
    );
    this.#idle = [...this.#children];
  }

  /**
   * Registers a cluster under a name for orders; a worker receives the cluster with the first order
   * that names it.
   */
  add(name: string, cluster: WorkerCluster): void {
    this.#clusters.set(name, cluster);
  }

  /** Removes a cluster that later orders will not name. */
  remove(name: string): void {
    this.#clusters.delete(name);
  }

  /** @throws RunFailed */
  async carryOut(order: Exclude<Order, { do: "take" }>): Promise<OrderReport> {
    const child = await this.#take();
    try {
      const has = this.#has.get(child) ?? new Set<string>();
      this.#has.set(child, has);
      const cluster = this.#clusters.get(order.name);
      if (!has.has(order.name) && cluster !== undefined) {
        await send(child, { do: "take", name: order.name, cluster });
        has.add(order.name);
      }
      return await send(child, order);
    } finally {
      this.#giveBack(child);
    }
  }

  [Symbol.dispose](): void {
    for (const child of this.#children) child.kill();
  }

  async #take(): Promise<ChildProcess> {
    return this.#idle.pop() ?? (await new Promise((resolve) => this.#waiting.push(resolve)));
  }

  #giveBack(child: ChildProcess): void {
    const next = this.#waiting.shift();
    if (next) next(child);
    else this.#idle.push(child);
  }
}

function send(child: ChildProcess, order: Order): Promise<OrderReport> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null, signal: string | null) => {
      child.off("message", onMessage);
      reject(
        new RunFailed(
          `a process that simulated a question ended with ${signal ?? code}; it may have run out of memory`,
        ),
      );
    };
    const onMessage = (message: unknown) => {
      child.off("exit", onExit);
      // Only workers of this program respond.
      const answer = message as Message;
      if ("report" in answer) resolve(answer.report);
      else reject(new RunFailed(answer.crash));
    };
    child.once("exit", onExit);
    child.once("message", onMessage);
    child.send(order);
  });
}

/** Simulates the parent's orders, until the parent disconnects. */
export function workOnRuns(): void {
  const worker = new RunWorker();
  const answer = (message: Message) => process.send?.(message);
  process.on("unhandledRejection", (error) => answer({ crash: `a promise was rejected: ${inspect(error)}` }));
  process.on("message", (order) => {
    void worker.carryOut(order as Order).then(
      (report) => answer({ report }),
      (error: unknown) => answer({ crash: inspect(error) }),
    );
  });
}
