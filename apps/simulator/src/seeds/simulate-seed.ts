import { type Logger, type ProfileName, replicaSets } from "@kintsugi/api";
import {
  aReplicaSet,
  faults,
  inject,
  Invariants,
  notConverged,
  pick,
  watchForUnrest,
  type World,
} from "@kintsugi/simulation";
import { VirtualCluster } from "../cluster/virtual-cluster.ts";

export interface SimulationOptions {
  seed: number;
  nodes: number;
  profile: ProfileName;
  /** How long faults go on, in virtual time. */
  durationMs: number;
  log?: Logger;
}

export interface SimulationResult {
  seed: number;
  virtualMs: number;
  changes: number;
  checks: number;
  /** How often each fault was injected. */
  injected: Readonly<Record<string, number>>;
  /** Everything committed, as one number. */
  digest: string;
  /** "S9 at revision 7: …", or what did not converge; absent when all is well. */
  failure: string | undefined;
}

const second = 1000;
/** Faults come this far apart, on average; most overlap, some find the cluster at rest. */
const faultEveryMs = 12 * second;
/** Most faults are short, some outlast every timer of the profile. */
const faultLastsMaxMs = [2 * second, 15 * second, 60 * second];
/** The longest that anything may take once faults have stopped: crash back-off, tolerations and elections together. */
const convergeMaxMs: Readonly<Record<ProfileName, number>> = {
  fast: 180 * second,
  default: 1500 * second,
  kubernetes: 1500 * second,
};
/** Much for a network, and enough for every cache to be behind what its owner has just written. */
const latencyMaxMs = 40;
const quietMs = 120 * second;
const replicasMax = 12;
const replicaSet = { namespace: "default", name: "web", replicasMax };

/** One life of a cluster under faults, all of which follow from the seed. */
export async function simulateSeed(options: SimulationOptions): Promise<SimulationResult> {
  await using cluster = new VirtualCluster({ ...options, latencyMaxMs });
  const { store, clock } = cluster;
  const invariants = new Invariants({ store, clock, onViolation: () => cluster.halt() });
  await cluster.start();
  const simulation = new Simulation(cluster, invariants, options);
  // Awaited here: the cluster goes when this function ends.
  return await simulation.run();
}

class Simulation {
  readonly #cluster: VirtualCluster;
  readonly #invariants: Invariants;
  readonly #options: SimulationOptions;
  readonly #world: World;
  readonly #undo = new Set<() => void | Promise<void>>();
  readonly #injected: Record<string, number> = {};

  constructor(cluster: VirtualCluster, invariants: Invariants, options: SimulationOptions) {
    this.#cluster = cluster;
    this.#invariants = invariants;
    this.#options = options;
    this.#world = { cluster, random: cluster.fork(), held: new Set(), replicaSet };
  }

  async run(): Promise<SimulationResult> {
    const cluster = this.#cluster;
    const { seed, durationMs } = this.#options;
    await cluster.client.create(replicaSets, aReplicaSet(replicaSet.name, 6, { cpu: "500m" }));
    await cluster.advance(10 * second);
    const endMs = cluster.nowMs + durationMs;
    while (cluster.nowMs < endMs && this.#broken() === undefined) await this.#oneFault();
    for (const undo of this.#undo) await undo();
    this.#undo.clear();
    const failure = this.#broken() ?? (await this.#converge()) ?? this.#broken();
    return {
      seed,
      virtualMs: cluster.nowMs,
      changes: cluster.trace.length,
      checks: this.#invariants.checks,
      injected: this.#injected,
      digest: cluster.trace.digest(),
      failure,
    };
  }

  async #oneFault(): Promise<void> {
    const { random } = this.#world;
    const name = pick(random, Object.keys(faults)) ?? "";
    const undo = await inject(name, this.#world);
    if (undo) {
      this.#injected[name] = (this.#injected[name] ?? 0) + 1;
      this.#undo.add(undo);
      this.#cluster.clock.after(random.integer(pick(random, faultLastsMaxMs) ?? 0), () => {
        if (this.#undo.delete(undo)) void undo();
      });
    }
    await this.#cluster.advance(random.integer(2 * faultEveryMs));
  }

  /** What has gone wrong so far. */
  #broken(): string | undefined {
    const { violation } = this.#invariants;
    if (violation) {
      const { invariant, message, revision, atMs } = violation;
      return `${invariant} at revision ${revision}, ${atMs} ms: ${message}`;
    }
    // A leader that could not renew its Lease has to go; nobody else ever dies by itself.
    const death = this.#cluster.deaths.find(({ error }) => !isLeadershipLost(error));
    return death && `${death.process} died at ${death.atMs} ms: ${stackOf(death.error)}`;
  }

  async #converge(): Promise<string | undefined> {
    const cluster = this.#cluster;
    const untilMs = cluster.nowMs + convergeMaxMs[this.#options.profile];
    let wrong = await notConverged(cluster, replicaSet);
    while (wrong.length > 0 && cluster.nowMs < untilMs) {
      await cluster.advance(5 * second);
      wrong = await notConverged(cluster, replicaSet);
    }
    if (wrong.length > 0) return `did not converge: ${wrong.join("; ")}`;
    // What was counted last may still be on its way into a status.
    await cluster.advance(30 * second);
    const unrest = watchForUnrest(cluster);
    await cluster.advance(quietMs);
    const moved = unrest.stop();
    wrong = await notConverged(cluster, replicaSet);
    if (wrong.length > 0) return `was whole and is not any more: ${wrong.join("; ")}`;
    return moved.length > 0 ? `does not come to rest: ${moved.slice(0, 10).join(", ")}` : undefined;
  }
}

function isLeadershipLost(error: unknown): boolean {
  return error instanceof Error && error.name === "LeadershipLost";
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
