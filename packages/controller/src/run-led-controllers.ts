import type { Logger, Metrics, ResourceType } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import { assembleControllers, type Plannable } from "./declare/assemble-controllers.ts";
import type { ControllerInputs } from "./declare/controller-definition.ts";
import type { Informers } from "./declare/informer-pool.ts";
import { EventRecorders } from "./events/event-recorders.ts";
import type { LeaderElectionOptions } from "./leader-election/run-for-election.ts";
import { TermMetrics } from "./leader-election/term-metrics.ts";
import { workInTerms } from "./leader-election/work-in-terms.ts";
import { runOverInformers } from "./run-over-informers.ts";
import { runTogether } from "./run-together.ts";

export interface LedControllersDeps {
  client: Client;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: Metrics;
}

/** The resources of a small program whose controllers have no options of their own. */
type LedInputs<Own> = ControllerInputs & Own & { options: Record<never, never> };

export interface LedControllers<Own> {
  /** Each controller is created once per term as leader. */
  readonly controllers: readonly Plannable<LedInputs<Own>, LedInputs<Own> & { informers: Informers }>[];
  /** The kinds of these controllers, which every API server serves. */
  readonly served: readonly ResourceType[];
  /** Resolves to the resources of the program itself, once they can be used. */
  readonly own: (signal: AbortSignal) => Own | Promise<Own>;
  /** The controllers work without electing a leader where this is absent. */
  readonly leaderElection: LeaderElectionOptions | undefined;
  /** Called in each term when the first lists are complete. */
  readonly onSynced?: (own: Own) => void;
}

/** Runs the controllers of a program, while it leads, until the signal aborts. */
export async function runLedControllers<Own extends object>(
  deps: LedControllersDeps,
  program: LedControllers<Own>,
  signal: AbortSignal,
): Promise<void> {
  const recorders = new EventRecorders(deps);
  await runTogether(signal, [
    (ends) => recorders.run(ends),
    async (ends) => {
      const own = await program.own(ends);
      const work = (term: AbortSignal, writer: Client) => runTerm({ deps, program, own, recorders, writer }, term);
      return workInTerms({ ...deps, recorders }, { election: program.leaderElection, work }, ends);
    },
  ]);
}

interface Term<Own> {
  readonly deps: LedControllersDeps;
  readonly program: LedControllers<Own>;
  readonly own: Own;
  readonly recorders: EventRecorders;
  /**
   * Refuses writes when this process no longer leads; informers also run while another process
   * leads.
   */
  readonly writer: Client;
}

async function runTerm<Own>({ deps, program, own, recorders, writer }: Term<Own>, signal: AbortSignal): Promise<void> {
  const { client, clock, random, log } = deps;
  const { controllers, served, onSynced } = program;
  const metrics = new TermMetrics(deps.metrics);
  const eventsAs = recorders.during(signal);
  const inputs: LedInputs<Own> = { client: writer, clock, log, metrics, served, eventsAs, ...own, options: {} };
  try {
    const { informers, make } = assembleControllers(controllers, inputs, { client, clock, random, log });
    const made = make({ ...inputs, informers });
    await runOverInformers(informers, { controllers: made, onSynced: () => onSynced?.(own) }, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    metrics.end();
  }
}
