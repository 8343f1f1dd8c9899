import type { KeyObject } from "node:crypto";
import {
  type ChangeStream,
  leases,
  type Logger,
  type Metrics,
  namespaces,
  nodes,
  pods,
  replicaSets,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import {
  assembleControllers,
  EventRecorders,
  findServedTypes,
  type LeaderElectionOptions,
  namedKinds,
  runOverInformers,
  runTogether,
  TermMetrics,
  workInTerms,
} from "@kintsugi/controller";
import type { Authority } from "@kintsugi/pki";
import type { Inputs } from "./context.ts";
import { type ControllerManagerOptions, controllerDefaults } from "./controller-options.ts";
import { enabledControllers } from "./enabled-controllers.ts";
import { EvictionBudgets } from "./shared/disruption-budgets/eviction-budgets.ts";

/** The kinds that recovery from the death of a node, or of a leader, waits for. */
const firstKinds = [nodes, pods, leases, replicaSets, namespaces];

export interface ControllerManagerDeps {
  client: Client;
  /** The informers follow over HTTP where this is absent. */
  changes?: ChangeStream | undefined;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: Metrics;
  /** The authority that signs certificates; without it machines cannot join by themselves. */
  signing?: Authority | undefined;
  /**
   * Reads the names and addresses for which the API server's certificate holds. Default: only those
   * of the Service `kubernetes` are known.
   */
  readonly apiServerNames?: ((signal: AbortSignal) => Promise<readonly string[]>) | undefined;
  /**
   * The authority that signs the API server, PEM, for a ConfigMap of each namespace. Default "":
   * there is no such ConfigMap.
   */
  rootCa?: string;
  /** The key that signs tokens in Secrets of service accounts, which stay empty without it. */
  tokenKey?: KeyObject | undefined;
}

export interface ControllerManagerSetup extends Partial<ControllerManagerOptions> {
  /** The controllers work without electing a leader where this is absent. */
  leaderElection?: LeaderElectionOptions | undefined;
  /** The value of `--controllers`. Default: all controllers run. */
  controllers?: readonly string[] | undefined;
}

export interface ControllerManager {
  /**
   * Works until the signal aborts, while it leads. @throws LeadershipLost when it no longer leads,
   * and its work does not end.
   */
  run(signal: AbortSignal): Promise<void>;
  /** The process waits for the lead, waits for its first lists, or works. */
  readonly state: "standby" | "starting" | "working";
}

/** All controllers in one process, of which one at a time leads. Nothing runs until `run`. */
export function createControllerManager(
  deps: ControllerManagerDeps,
  setup: ControllerManagerSetup = {},
): ControllerManager {
  const { leaderElection, controllers = ["*"], ...given } = setup;
  return new LedControllers(
    deps,
    { ...controllerDefaults(), ...given },
    {
      leaderElection,
      controllers: enabledControllers(controllers),
    },
  );
}

interface LedSetup {
  readonly leaderElection: LeaderElectionOptions | undefined;
  readonly controllers: ReturnType<typeof enabledControllers>;
}

class LedControllers implements ControllerManager {
  readonly #deps: ControllerManagerDeps;
  readonly #options: ControllerManagerOptions;
  readonly #leaderElection: LeaderElectionOptions | undefined;
  readonly #controllers: LedSetup["controllers"];
  readonly #recorders: EventRecorders;
  #state: ControllerManager["state"] = "standby";

  constructor(
    deps: ControllerManagerDeps,
    options: ControllerManagerOptions,
    { leaderElection, controllers }: LedSetup,
  ) {
    this.#deps = deps;
    this.#options = options;
    this.#leaderElection = leaderElection;
    this.#controllers = controllers;
    this.#recorders = new EventRecorders(deps);
  }

  get state(): ControllerManager["state"] {
    return this.#state;
  }

  async run(signal: AbortSignal): Promise<void> {
    await runTogether(signal, [
      (ends) => this.#recorders.run(ends),
      async (ends) => {
        const work = (term: AbortSignal, writer: Client) => this.#work(term, writer);
        const election = this.#leaderElection;
        await workInTerms({ ...this.#deps, recorders: this.#recorders }, { election, work }, ends);
        // The controllers end only when they are aborted, and with them everything else.
        if (!ends.aborted) throw new Error("the controllers have ended");
      },
    ]);
  }

  /**
   * Runs one term. The informers start with it, so that their first lists hold every write of the
   * leader before; the controllers' other memory starts with it as well.
   */
  async #work(signal: AbortSignal, client: Client): Promise<void> {
    this.#state = "starting";
    const { clock, random, log, changes, signing, apiServerNames, rootCa = "", tokenKey } = this.#deps;
    const metrics = new TermMetrics(this.#deps.metrics);
    try {
      const served = await findServedTypes(this.#deps, namedKinds(this.#controllers), signal);
      const eventsAs = this.#recorders.during(signal);
      const own = { signing, apiServerNames, rootCa, tokenKey };
      const given: Inputs = { client, clock, random, changes, log, metrics, served, eventsAs, ...own };
      const inputs = { ...given, options: this.#options };
      const assembly = assembleControllers(this.#controllers, inputs, {
        client: this.#deps.client,
        clock,
        random,
        changes,
        log,
        firstKinds,
      });
      const { informers, leftOut } = assembly;
      const budgets = new EvictionBudgets({ client, clock, informers, options: this.#options });
      const made = assembly.make({ ...inputs, informers, budgets });
      const onSynced = () => {
        this.#state = "working";
        log.info("controllers work", { controllers: made.map(({ name }) => name), leftOut });
      };
      await runOverInformers(informers, { controllers: made, onSynced }, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      metrics.end();
      this.#state = "standby";
    }
  }
}
