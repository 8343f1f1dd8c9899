import type { Logger } from "@kintsugi/api";
import { silentLogger } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import { type Death, minimizeList, VirtualProcess, Wire } from "@kintsugi/simulation";
import { VirtualCluster } from "@kintsugi/simulator/factory";
import { drawTroubles, operatorName, type Trouble } from "./draw-troubles.ts";
import { type RunEvent, runEventsMax, renderFailure } from "./failure-page.ts";
import { recordedClient } from "./recorded-client.ts";
import { injectTrouble } from "./inject-trouble.ts";

/** All that an operator may use of its surroundings, so that its run can be repeated. */
export interface OperatorDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Aborts when the process is stopped or killed. */
  readonly signal: AbortSignal;
}

/**
 * One run of an operator's process, which lasts until its signal aborts. It is started again after
 * each crash.
 */
export type Operator = (deps: OperatorDeps) => Promise<void>;

/** An invariant about the objects of a cluster, which it reads by a client with all rights. */
export type RunInvariant = (client: Client) => Promise<string | undefined> | string | undefined;

export interface ExploreOptions {
  /** The number of seeds, from `firstSeed`; each seed is a separate run. Default 100. */
  seeds?: number;
  firstSeed?: number;
  nodes?: number;
  /** Creates the initial state of a run, such as definitions of kinds and objects. */
  setUp: (client: Client) => Promise<void>;
  /** Concurrent actions of users, at their times after the setup; each is tried once. */
  users?: readonly { atMs: number; act: (client: Client) => Promise<void> }[];
  /** Returns a sentence if the invariant is violated; checked every second. */
  always?: RunInvariant;
  /** An invariant that is checked `settleMs` after the end of all faults. */
  atEnd: RunInvariant;
  /** The period in which faults occur. Default 2 min. */
  durationMs?: number;
  /** Default 2 min. */
  settleMs?: number;
}

export interface ExploreFailure {
  readonly seed: number;
  /** The text of the violated invariant. */
  readonly message: string;
  /**
   * The smallest subset of the seed's faults that violates the invariant; the same faults violate
   * it again.
   */
  readonly troubles: readonly Trouble[];
  /** The faults, the users' actions and the operator's writes of that run, in their order. */
  readonly timeline: readonly RunEvent[];
  /** The timeline as a self-contained page. */
  readonly html: string;
}

export interface ExploreReport {
  readonly seeds: number;
  /** The total time that was simulated in all runs. */
  readonly virtualMs: number;
  readonly failure: ExploreFailure | undefined;
}

const minute = 60_000;
const defaults = { seeds: 100, firstSeed: 1, nodes: 1, durationMs: 2 * minute, settleMs: 2 * minute };
const stepMs = 1000;

/**
 * Runs an operator under drawn faults, once for each seed, in virtual time, until a seed violates
 * an invariant. The faults of that seed are reduced to the necessary faults.
 */
export async function explore(operator: Operator, options: ExploreOptions): Promise<ExploreReport> {
  const { seeds, firstSeed, durationMs, settleMs } = { ...defaults, ...options };
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    const troubles = drawTroubles(seed, durationMs);
    const { broken: message } = await simulate(operator, options, { seed, troubles });
    if (message === undefined) continue;
    const needed = await minimizeList(
      troubles,
      async (fewer) => (await simulate(operator, options, { seed, troubles: fewer })).broken !== undefined,
    );
    const { broken = message, timeline } = await simulate(operator, options, { seed, troubles: needed });
    const html = renderFailure({ seed, message: broken, timeline });
    const failure = { seed, message: broken, troubles: needed, timeline, html };
    return { seeds: seed - firstSeed + 1, virtualMs: (seed - firstSeed + 1) * (durationMs + settleMs), failure };
  }
  return { seeds, virtualMs: seeds * (durationMs + settleMs), failure: undefined };
}

interface ExploredRun {
  /** The sentence of the first violated invariant. */
  readonly broken: string | undefined;
  readonly timeline: readonly RunEvent[];
}

async function simulate(
  operator: Operator,
  options: ExploreOptions,
  { seed, troubles }: { seed: number; troubles: readonly Trouble[] },
): Promise<ExploredRun> {
  const { nodes, durationMs, settleMs } = { ...defaults, ...options };
  await using cluster = new VirtualCluster({ seed, nodes, disk: false, bus: false, leaderElection: false });
  await cluster.start();
  await cluster.during(options.setUp(cluster.client));
  const beganMs = cluster.nowMs;
  const timeline: RunEvent[] = [];
  const note = (who: RunEvent["who"], what: string) => {
    if (timeline.length < runEventsMax) timeline.push({ atMs: cluster.nowMs - beganMs, who, what });
  };
  const wire = new Wire();
  const deaths: Death[] = [];
  const process = new VirtualProcess(
    {
      clock: cluster.clock,
      onDeath: (death) => deaths.push(death),
      run: async (signal, incarnation, clock) => {
        const connected = cluster.connectUser({ name: operatorName, wire, incarnation, attemptTimeoutMs: attemptMs });
        const client = recordedClient(connected, (what) => note("operator", what));
        await operator({ client, clock, random: cluster.randomSource.of(operatorName), log: silentLogger, signal });
      },
    },
    { name: operatorName },
  );
  process.start();
  const { requests } = cluster.server;
  for (const trouble of troubles)
    cluster.clock.after(trouble.atMs, () => {
      note("fault", trouble.what);
      const undo = injectTrouble(trouble, {
        process,
        wire,
        requests,
        random: cluster.randomSource.of(`${trouble.what} at ${trouble.atMs}`),
      });
      cluster.clock.after(Math.min(trouble.forMs, durationMs - trouble.atMs), () => {
        note("fault", `${trouble.what}: over`);
        undo();
      });
    });
  for (const { atMs, act } of options.users ?? [])
    cluster.clock.after(atMs, () => {
      const client = recordedClient(cluster.client, (what) => note("user", what));
      void act(client).catch(() => {});
    });
  const end = (broken: string | undefined): ExploredRun => {
    if (broken !== undefined) note("invariant", broken);
    return { broken, timeline };
  };
  for (let ms = 0; ms < durationMs + settleMs; ms += stepMs) {
    await cluster.advance(stepMs);
    const broken = await options.always?.(cluster.client);
    if (broken !== undefined) return end(broken);
  }
  const death = deaths.find(({ error }) => !(error instanceof Error && /was killed/.test(error.message)));
  if (death !== undefined) return end(`the operator died by itself: ${String(death.error)}`);
  const broken = await cluster.during(Promise.resolve(options.atEnd(cluster.client)));
  process.kill();
  return end(broken);
}

/** Shorter than a fault, so that a lost answer is detected during the run. */
const attemptMs = 10_000;
