import type { KeyObject } from "node:crypto";
import { type ChangeStream, leases, namespaces, nodes, pods, replicaSets } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import {
  assembleControllers,
  EventRecorders,
  findServedTypes,
  type LeaderElectionOptions,
  namedKinds,
  type QueueStarts,
  runOverInformers,
  runTogether,
  TermMetrics,
  workInTerms,
  type LedControllersDeps,
} from "@kintsugi/controller";
import type { Authority } from "@kintsugi/pki";
import type { Inputs } from "./context.ts";
import { type ControllerManagerOptions, controllerDefaults } from "./controller-options.ts";
import { enabledControllers } from "./enabled-controllers.ts";
import { EvictionBudgets } from "./shared/disruption-budgets/eviction-budgets.ts";

/** The kinds that recovery from the loss of a node, or of a leader, depends on. */
const firstKinds = [nodes, pods, leases, replicaSets, namespaces];

export interface ControllerManagerDeps extends LedControllersDeps {
  /** Default: the informers use watches over HTTP. */
  changes?: ChangeStream | undefined;
  /** The authority that signs certificates; without it, machines cannot join by themselves. */
  signing?: Authority | undefined;
  /**
   * Reads the names and addresses in the API server's certificate. Default: only the names and
   * addresses of the Service `kubernetes` are known.
   */
  readonly apiServerNames?: ((signal: AbortSignal) => Promise<readonly string[]>) | undefined;
  /**
   * The certificate authority of the API server, PEM, which is published as a ConfigMap in each
   * namespace. Default "": the ConfigMap is not published.
   */
  rootCa?: string;
  /** The key that signs tokens in Secrets of service accounts, which stay empty without it. */
  tokenKey?: KeyObject | undefined;
  /** Default: each queue begins with the keys of all existing objects. */
  queueStarts?: QueueStarts | undefined;
}

export interface ControllerManagerSetup extends Partial<ControllerManagerOptions> {
  /** Default: the controllers run without leader election. */
  leaderElection?: LeaderElectionOptions | undefined;
  /** The value of `--controllers`. Default: all controllers run. */
  controllers?: readonly string[] | undefined;
}

export interface ControllerManager {
  /**
   * Runs until the signal aborts, and works while it leads. @throws LeadershipLost when the lease
   * is lost and the controllers do not end.
   */
  run(signal: AbortSignal): Promise<void>;
  /** Phase of the process: it waits for the lease, waits for its first lists, or works. */
  readonly state: "standby" | "starting" | "working";
}

/**
 * All controllers in one process. Of several processes, only the leader works. Nothing runs until
 * `run`.
 */
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
        // The controllers end only when they are aborted, which also ends all other work of the
        // process.
        if (!ends.aborted) throw new Error("the controllers have ended");
      },
    ]);
  }

  /**
   * Runs one term. The informers start with the term, so that their first lists contain every write
   * of the previous leader. The controllers start without memory for the same reason.
   */
  async #work(signal: AbortSignal, client: Client): Promise<void> {
    this.#state = "starting";
    const { clock, random, log, changes, signing, apiServerNames, rootCa = "", tokenKey, queueStarts } = this.#deps;
    const metrics = new TermMetrics(this.#deps.metrics);
    try {
      const served = await findServedTypes(this.#deps, namedKinds(this.#controllers), signal);
      const eventsAs = this.#recorders.during(signal);
      const own = { signing, apiServerNames, rootCa, tokenKey };
      const given: Inputs = { client, clock, random, changes, log, metrics, served, eventsAs, queueStarts, ...own };
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
