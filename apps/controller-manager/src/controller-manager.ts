import type { ChangeStream, Lease, Logger, Metrics } from "@kintsugi/api";
import { type Client, createEventRecorder, type EventRecorder } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import { fencedClient, type LeaderElectionOptions, runAsLeader, runTogether } from "@kintsugi/controller";
import type { SigningOptions } from "./certificates/controller.ts";
import { controllers } from "./controllers.ts";
import type { RecordEvent } from "./events.ts";
import { Informers } from "./informers.ts";
import { type ControllerManagerOptions, defaultControllerManagerOptions } from "./options.ts";
import { EvictionBudgets } from "./taint-eviction/eviction-budgets.ts";
import { findServedTypes } from "./served-types.ts";

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
  /** Works until the signal aborts. @throws LeadershipLost when another process has taken over. */
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
  readonly #recorders = new Map<string, EventRecorder>();
  #state: ControllerManager["state"] = "standby";

  constructor(
    deps: ControllerManagerDeps,
    options: ControllerManagerOptions,
    leaderElection: LeaderElectionOptions | undefined,
  ) {
    this.#deps = deps;
    this.#options = options;
    this.#leaderElection = leaderElection;
  }

  get state(): ControllerManager["state"] {
    return this.#state;
  }

  async run(signal: AbortSignal): Promise<void> {
    const election = this.#leaderElection;
    if (!election) {
      await this.#work(signal, this.#deps.client);
      return;
    }
    const elector = this.#recorder(election.name);
    const recordEvent = (lease: Lease, message: string) =>
      elector.record(lease, { type: "Normal", reason: "LeaderElection", message });
    await runTogether(signal, [
      (ends) => elector.run(ends),
      async (ends) => {
        await runAsLeader({ ...this.#deps, signal: ends, recordEvent }, election, (term, leadership) =>
          this.#work(term, fencedClient(this.#deps.client, leadership)),
        );
        // The candidacy ends only because it was told to, and with it everything else.
        if (!ends.aborted) throw new Error("the controllers have ended");
      },
    ]);
  }

  /**
   * One term. The informers start with it, so that their first lists hold every write of the leader before; what a controller
   * remembers beside them starts with it as well.
   */
  async #work(signal: AbortSignal, client: Client): Promise<void> {
    this.#state = "starting";
    const { clock, random, log, metrics, changes } = this.#deps;
    const informers = new Informers({ client: this.#deps.client, clock, random, changes, log });
    try {
      const served = await findServedTypes(this.#deps, signal);
      const recorders: EventRecorder[] = [];
      const eventsAs = (component: string): RecordEvent => {
        const recorder = this.#recorder(component);
        recorders.push(recorder);
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
        ...recorders.map((recorder) => (ends: AbortSignal) => recorder.run(ends)),
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
      this.#state = "standby";
    }
  }

  /** One per component and process: it remembers what it has said, so that repeated events are counted. */
  #recorder(component: string): EventRecorder {
    const known = this.#recorders.get(component);
    if (known) return known;
    const { client, clock, random, log } = this.#deps;
    const recorder = createEventRecorder({ client, clock, random, log }, { component });
    this.#recorders.set(component, recorder);
    return recorder;
  }
}
