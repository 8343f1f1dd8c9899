import type { ChangeStream, Lease, Logger, Metrics } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import {
  fencedClient,
  type LeaderElectionOptions,
  runForElection,
  runTogether,
  TermMetrics,
} from "@kintsugi/controller";
import type { SigningOptions } from "./controllers/certificates/controller.ts";
import { controllers } from "./controllers.ts";
import { EventRecorders } from "./shared/events/event-recorders.ts";
import type { RecordEvent } from "./shared/events/event-note.ts";
import { Informers } from "./shared/informers.ts";
import { type ControllerManagerOptions, defaultControllerManagerOptions } from "./options.ts";
import { EvictionBudgets } from "./shared/disruption-budgets/eviction-budgets.ts";
import { findServedTypes } from "./shared/served-types.ts";

export interface ControllerManagerDeps {
  client: Client;
  /** Without it the informers follow over HTTP. */
  changes?: ChangeStream | undefined;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: Metrics;
  /** With what certificates are signed; without it machines cannot join by themselves. */
  signing?: SigningOptions | undefined;
}

export interface ControllerManagerSetup extends Partial<ControllerManagerOptions> {
  /** Absent: the controllers work without asking for the lead. */
  leaderElection?: LeaderElectionOptions | undefined;
}

export interface ControllerManager {
  /** Works until the signal aborts, while it leads. @throws LeadershipLost when it does not lead any more, and its work does not end. */
  run(signal: AbortSignal): Promise<void>;
  /** Whether this process waits for the lead, waits for its first lists, or works. */
  readonly state: "standby" | "starting" | "working";
}

/** All controllers in one process, of which one at a time leads. Nothing runs until `run`. */
export function createControllerManager(
  deps: ControllerManagerDeps,
  setup: ControllerManagerSetup = {},
): ControllerManager {
  const { leaderElection, ...given } = setup;
  return new LedControllers(deps, { ...defaultControllerManagerOptions, ...given }, leaderElection);
}

class LedControllers implements ControllerManager {
  readonly #deps: ControllerManagerDeps;
  readonly #options: ControllerManagerOptions;
  readonly #leaderElection: LeaderElectionOptions | undefined;
  readonly #recorders: EventRecorders;
  #state: ControllerManager["state"] = "standby";

  constructor(
    deps: ControllerManagerDeps,
    options: ControllerManagerOptions,
    leaderElection: LeaderElectionOptions | undefined,
  ) {
    this.#deps = deps;
    this.#options = options;
    this.#leaderElection = leaderElection;
    this.#recorders = new EventRecorders(deps);
  }

  get state(): ControllerManager["state"] {
    return this.#state;
  }

  async run(signal: AbortSignal): Promise<void> {
    await runTogether(signal, [
      (ends) => this.#recorders.run(ends),
      async (ends) => {
        await this.#control(ends);
        // The controllers end only because they were told to, and with them everything else.
        if (!ends.aborted) throw new Error("the controllers have ended");
      },
    ]);
  }

  async #control(signal: AbortSignal): Promise<void> {
    const { client } = this.#deps;
    const election = this.#leaderElection;
    if (!election) {
      await this.#work(signal, client);
      return;
    }
    const elector = this.#recorders.of(election.name);
    const recordEvent = (lease: Lease, message: string) =>
      elector.record(lease, { type: "Normal", reason: "LeaderElection", message });
    await runForElection({ ...this.#deps, recordEvent }, election, (lead) =>
      lead(signal, (term, leadership) => this.#work(term, fencedClient(client, leadership))),
    );
  }

  /**
   * One term. The informers start with it, so that their first lists hold every write of the leader before; what a controller
   * remembers beside them starts with it as well.
   */
  async #work(signal: AbortSignal, client: Client): Promise<void> {
    this.#state = "starting";
    const { clock, random, log, changes } = this.#deps;
    const metrics = new TermMetrics(this.#deps.metrics);
    const informers = new Informers({ client: this.#deps.client, clock, random, changes, log });
    try {
      const served = await findServedTypes(this.#deps, signal);
      const eventsAs = (component: string): RecordEvent => {
        const recorder = this.#recorders.of(component);
        return ({ about, ...what }) => recorder.record(about, what);
      };
      const options = this.#options;
      const { signing } = this.#deps;
      const budgets = new EvictionBudgets({ client, informers, served, options });
      const own = { client, informers, served, eventsAs, budgets, signing };
      const context = { ...own, clock, random, log, metrics, options };
      const made = controllers.flatMap((make) => make(context) ?? []);
      await runTogether(signal, [
        (ends) => informers.run(ends),
        async (ends) => {
          await informers.waitForSync(ends);
          this.#state = "working";
          log.info("controllers work", { controllers: made.map(({ name }) => name) });
          await runTogether(
            ends,
            made.map((controller) => (until: AbortSignal) => controller.run(until)),
          );
        },
      ]);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      metrics.end();
      this.#state = "standby";
    }
  }
}
