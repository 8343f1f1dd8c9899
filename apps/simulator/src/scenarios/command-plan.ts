import { discoverTypes } from "@kintsugi/client";
import type { AddedCommand } from "@kintsugi/story";
import type { VirtualCluster } from "../cluster/virtual-cluster.ts";
import type { KubectlWorld } from "../kubectl/kubectl-world.ts";
import { UnusableCommand } from "../kubectl/kubectl-command.ts";
import { parseCommand } from "../kubectl/line/parse-command.ts";
import { runKubectl } from "../kubectl/run-command.ts";

/** Longest time for which a drain of a run continues, as long as a user would wait. */
const drainForMs = 30 * 60_000;

/** The commands of a user, each with its time in the run. */
export class CommandPlan {
  readonly #commands: readonly AddedCommand[];
  readonly #stop = new AbortController();
  #error: Error | undefined;

  constructor(commands: readonly AddedCommand[]) {
    this.#commands = commands;
  }

  /** Starts the time of the plan. */
  begin(cluster: VirtualCluster): void {
    let before = Promise.resolve();
    for (const command of this.#commands.toSorted((left, right) => left.atMs - right.atMs)) {
      cluster.clock.after(command.atMs, () => {
        // A drain takes time, and other commands do not wait until it has ended.
        const run = () =>
          this.#run(cluster, command).catch(
            (error: unknown) => (this.#error ??= new Error("a command failed", { cause: error })),
          );
        if (command.text.includes("drain")) void run();
        else before = before.then(run).then(() => undefined);
      });
    }
  }

  /** @throws an error that a command should never throw. */
  end(): void {
    this.#stop.abort();
    if (this.#error !== undefined) throw this.#error;
  }

  async #run(cluster: VirtualCluster, { text, yaml = "" }: AddedCommand): Promise<void> {
    try {
      const command = parseCommand(text);
      await runKubectl(command, await kubectlWorldOf(cluster, this.#stop.signal), { yaml, drainForMs });
    } catch (error) {
      // If the run ends while a command runs, its output ends too.
      if (error instanceof UnusableCommand || this.#stop.signal.aborted) return;
      throw error;
    }
  }
}

/** A user with all permissions in a cluster. @throws ApiError, ConnectionError */
export async function kubectlWorldOf({ client, clock }: VirtualCluster, signal: AbortSignal): Promise<KubectlWorld> {
  const { types } = await discoverTypes(client, signal);
  return { client, clock, types, signal };
}
