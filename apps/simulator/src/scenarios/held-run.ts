import type { ScenarioFile } from "@kintsugi/simulation";
import type { AddedCommand } from "@kintsugi/story";
import type { VirtualCluster } from "../cluster/virtual-cluster.ts";
import { isChange, UnusableCommand } from "../kubectl/kubectl-command.ts";
import type { KubectlWorld, KubectlAnswer } from "../kubectl/kubectl-world.ts";
import { parseCommand } from "../kubectl/line/parse-command.ts";
import { completeLine, runKubectl } from "../kubectl/run-command.ts";
import { holdScenario } from "../run/run-scenario.ts";
import { CommandPlan, kubectlWorldOf } from "./command-plan.ts";

/** The output shows the first minute of a drain; the drain continues in the run. */
const drainForMs = 60_000;

/** A run that is paused at a time, for commands to be run there. */
export class HeldRun {
  readonly #cluster: VirtualCluster;
  readonly #world: KubectlWorld;
  readonly #release: () => void;
  readonly #isOver: Promise<void>;

  private constructor(parts: {
    cluster: VirtualCluster;
    world: KubectlWorld;
    release: () => void;
    isOver: Promise<void>;
  }) {
    this.#cluster = parts.cluster;
    this.#world = parts.world;
    this.#release = parts.release;
    this.#isOver = parts.isOver;
  }

  /** Simulates a scenario with the commands before a time, and pauses it there. */
  static async open(
    { scenario }: ScenarioFile,
    { atMs, commands }: { readonly atMs: number; readonly commands: readonly AddedCommand[] },
  ): Promise<HeldRun> {
    const stop = new AbortController();
    const user = new CommandPlan(commands.filter((command) => command.atMs <= atMs));
    let isOver = Promise.resolve();
    const released = new Promise<void>((resolve) => stop.signal.addEventListener("abort", () => resolve()));
    const cluster = await new Promise<VirtualCluster>((resolve, reject) => {
      isOver = holdScenario(scenario, { begin: (each) => user.begin(each), atMs }, (each) => {
        resolve(each);
        return released;
      });
      isOver.catch(reject);
    });
    const world = await cluster.during(kubectlWorldOf(cluster, stop.signal));
    return new HeldRun({ cluster, world, release: () => stop.abort(), isOver });
  }

  /** Runs a command, and reports whether the command changes the cluster. */
  async run({ text, yaml = "" }: AddedCommand): Promise<KubectlAnswer & { readonly isChange: boolean }> {
    try {
      const command = parseCommand(text);
      const answer = await this.#cluster.during(runKubectl(command, this.#world, { yaml, drainForMs }));
      const isRefused = answer.lines.some((line) => /^(error|Error from server)\b/.test(line));
      return { ...answer, isChange: isChange(command) && (!isRefused || command.is === "drain") };
    } catch (error) {
      if (!(error instanceof UnusableCommand)) throw error;
      return { lines: [`error: ${error.message}`], isChange: false };
    }
  }

  complete({ text }: AddedCommand): Promise<string[]> {
    return this.#cluster.during(completeLine(text, this.#world));
  }

  async close(): Promise<void> {
    this.#release();
    await this.#isOver;
  }
}
