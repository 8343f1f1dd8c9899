import { isApiError, type Logger, type ProfileName, silentLogger } from "@kintsugi/api";
import {
  Invariants,
  keptDefault,
  kindOf,
  notConverged,
  type RunObserver,
  type Scenario,
  type ScenarioWorkload,
  type Violation,
  watchForUnrest,
} from "@kintsugi/simulation";
import { VirtualCluster } from "../cluster/virtual-cluster.ts";
import { Load, type LoadDeps, type LoadResult } from "../load/load.ts";
import { createWorkloads, hasClaims, hasDevices } from "./create-workloads.ts";
import { type FaultCount, FaultPlan } from "./fault-plan.ts";

export interface RunDeps {
  log?: Logger;
  /** Called with the cluster before it is started; the returned observer receives the events. */
  observe?: (cluster: VirtualCluster) => RunObserver | undefined;
  /** Called when the time of the faults begins, for users who act at times of their own. */
  begin?: (cluster: VirtualCluster) => void;
  /** Called with the elapsed part of the planned time, 0 to 1, to show progress. */
  onProgress?: (part: number) => void;
}

export interface ScenarioResult {
  readonly scenario: Scenario;
  readonly virtualMs: number;
  readonly changes: number;
  /** The number of checks by their names. */
  readonly checks: Readonly<Record<string, number>>;
  /** The number of times that each fault was planned, and that it found a target. */
  readonly faults: Readonly<Record<string, FaultCount>>;
  /** The figures of the clients' load; undefined without clients. */
  readonly load: LoadResult | undefined;
  /** A hash of everything committed. */
  readonly digest: string;
  readonly failure: ScenarioFailure | undefined;
  /** The reason why a run that has not failed is not a valid test either. */
  readonly void: string | undefined;
}

export interface ScenarioFailure {
  /**
   * Name of an invariant, or of a check at the end: "no-process-exits", "cluster-converges",
   * "cluster-comes-to-rest".
   */
  readonly check: string;
  readonly message: string;
  readonly atMs: number;
  readonly revision: number;
}

const second = 1000;
const namespace = "default";
/** The duration of a sync on a good disk; without message delays, syncs take no time either. */
const syncMaxMs = 2;
/** The step by which time advances. A run that has failed stops within one step. */
const stepMs = 5 * second;
/** Time until a new cluster has its first pods running. */
const settleMs = 10 * second;
/**
 * The longest time that recovery may take once faults have stopped: crash back-off, tolerations and
 * elections together.
 */
const convergeMaxMs: Readonly<Record<ProfileName, number>> = {
  fast: 180 * second,
  default: 1500 * second,
  kubernetes: 1500 * second,
};
/** The longest pause of a Job between a failure and the next pod, and a pod's run. */
const jobBackoffMaxMs = 660 * second;
/**
 * The time of one pod's move, from the inspection of the cluster to the pause before the next move.
 */
const moveMs = 15 * second;
/** Two times of a schedule, and the time until the second must have a Job. */
const scheduledMs = 185 * second;
/** Longest duration of a restart, which reads a few hundred records. */
const plugMaxMs = 10 * second;
const plugStepMs = 10;
/**
 * The last count may still be missing in a status, and an event whose response was lost is sent
 * again after the client's 30 s for one attempt and its recorder's pause of up to 10 s.
 */
const restMs = 45 * second;
const quietMs = 120 * second;
/** A run with fewer commits than the start of a cluster with one pod is not a valid test. */
const changesMin = 60;

/** One run of a cluster, as planned. */
export function runScenario(scenario: Scenario, deps: RunDeps = {}): Promise<ScenarioResult> {
  return withRun(scenario, deps, (run) => run.run());
}

/**
 * Runs as planned until a time, and pauses the cluster at that time while `work` runs. Afterwards
 * the cluster ends.
 */
export function holdScenario(
  scenario: Scenario,
  { begin, atMs }: Pick<RunDeps, "begin"> & { readonly atMs: number },
  work: (cluster: VirtualCluster) => Promise<void>,
): Promise<void> {
  return withRun(scenario, { ...(begin && { begin }) }, (run) => run.hold(atMs, work));
}

async function withRun<T>(scenario: Scenario, deps: RunDeps, live: (run: Run) => Promise<T>): Promise<T> {
  const { log = silentLogger, observe, begin, onProgress } = deps;
  const { seed, profile, timers: overrules, nodes, world } = scenario;
  const disk = { syncMaxMs: world.latencyMaxMs > 0 ? syncMaxMs : 0 };
  await using cluster = new VirtualCluster({
    seed,
    profile,
    timers: overrules,
    nodes,
    log,
    disk,
    storage: hasClaims(scenario),
    devices: hasDevices(scenario),
    ...world,
  });
  const { store, clock, timers } = cluster;
  const invariants = new Invariants({ store, clock, cluster, onViolation: () => cluster.halt() }, { timers });
  const load = loadOf(cluster, scenario);
  const observer = observe?.(cluster);
  await cluster.start();
  // Awaited here because the cluster ends when this function returns.
  return await live(new Run({ cluster, invariants, load, observer, begin, onProgress }, scenario));
}

function loadOf(cluster: VirtualCluster, { world }: Scenario): Load | undefined {
  const { operationsPerSecond = 0, kept = keptDefault } = world;
  if (operationsPerSecond === 0) return undefined;
  const { clock, store } = cluster;
  const connect: LoadDeps["connect"] = (from) => cluster.connectUser(from);
  return new Load({ clock, store, random: cluster.randomSource.of("load"), connect }, { operationsPerSecond, kept });
}

interface RunParts {
  cluster: VirtualCluster;
  invariants: Invariants;
  load: Load | undefined;
  observer: RunObserver | undefined;
  begin: RunDeps["begin"];
  onProgress: RunDeps["onProgress"];
}

class Run {
  readonly #cluster: VirtualCluster;
  readonly #invariants: Invariants;
  readonly #load: Load | undefined;
  readonly #scenario: Scenario;
  readonly #plan: FaultPlan;
  readonly #observer: RunObserver | undefined;
  readonly #usersBegin: RunDeps["begin"];
  readonly #onProgress: RunDeps["onProgress"];

  constructor({ cluster, invariants, load, observer, begin, onProgress }: RunParts, scenario: Scenario) {
    this.#usersBegin = begin;
    this.#onProgress = onProgress;
    this.#cluster = cluster;
    this.#invariants = invariants;
    this.#load = load;
    this.#scenario = scenario;
    this.#observer = observer;
    this.#plan = new FaultPlan({ cluster, randomSource: cluster.randomSource, observer }, scenario);
  }

  async run(): Promise<ScenarioResult> {
    const { durationMs, mode } = this.#scenario;
    await this.#begin();
    await this.#pass(durationMs);
    if (mode === "safety") this.#observer?.end();
    this.#plan.end();
    // Time does not advance in a failed run, so its clients never end.
    const earlier = this.#broken();
    await this.#load?.end(this.#cluster.client, (ms) => this.#pass(ms));
    const broken = earlier ?? this.#broken() ?? this.#historyFailure();
    const failure = broken ?? (mode === "liveness" ? await this.#live() : undefined);
    if (mode === "liveness") this.#observer?.end();
    return this.#result(failure ?? (await this.#pullThePlug()));
  }

  async hold(atMs: number, work: (cluster: VirtualCluster) => Promise<void>): Promise<void> {
    await this.#begin();
    await this.#pass(atMs);
    await work(this.#cluster);
  }

  async #begin(): Promise<void> {
    try {
      await createWorkloads(this.#cluster, this.#scenario);
    } catch (error) {
      // A violation ends the cluster, so the response is lost.
      if (this.#broken() === undefined) throw error;
    }
    await this.#pass(settleMs);
    this.#observer?.begin();
    if (this.#load) await this.#cluster.during(this.#load.begin(this.#cluster.client));
    this.#plan.begin();
    this.#usersBegin?.(this.#cluster);
  }

  /**
   * Finally the api-server's machine loses power: all data that any client was shown in this run
   * must be on its disk.
   */
  async #pullThePlug(): Promise<ScenarioFailure | undefined> {
    const { server } = this.#cluster;
    server.cutPower("lost");
    server.process.start();
    // A server that rejects its disk is never ready.
    for (let ms = 0; ms < plugMaxMs && !server.isReady && this.#broken() === undefined; ms += plugStepMs)
      await this.#cluster.advance(plugStepMs);
    if (this.#broken() !== undefined || server.isReady) return this.#broken();
    return this.#failure("writes-are-durable", `the api-server is still down ${plugMaxMs} ms after a loss of power`);
  }

  #result(failure: ScenarioFailure | undefined): ScenarioResult {
    const { trace, nowMs } = this.#cluster;
    const { counts } = this.#plan;
    const { durationMs } = this.#scenario;
    const isReached = Object.values(counts).some(({ reached }) => reached > 0);
    const isIdle = Object.keys(counts).length > 0 && !isReached;
    const changes = trace.length - (this.#load?.commits ?? 0);
    const tooLittle = changes < changesMin ? `there were only ${changes} changes` : this.#load?.tooLittle(durationMs);
    return {
      scenario: this.#scenario,
      virtualMs: nowMs,
      changes: trace.length,
      checks: this.#checks(),
      faults: counts,
      load: this.#load?.result(),
      digest: trace.digest(),
      failure,
      void: failure === undefined ? (isIdle ? "none of the faults had a target" : tooLittle) : undefined,
    };
  }

  #checks(): Record<string, number> {
    const counts = { ...this.#invariants.checksByName };
    for (const [name, times] of Object.entries(this.#load?.checks() ?? {})) counts[name] = (counts[name] ?? 0) + times;
    return counts;
  }

  /** Advances time, unless the run has failed already. */
  async #pass(ms: number): Promise<void> {
    const endMs = this.#cluster.nowMs + ms;
    while (this.#cluster.nowMs < endMs && this.#broken() === undefined) {
      await this.#cluster.advance(Math.min(stepMs, endMs - this.#cluster.nowMs));
      this.#onProgress?.(Math.min(1, this.#cluster.nowMs / (settleMs + this.#scenario.durationMs)));
    }
  }

  /** Returns the first failure so far. */
  #broken(): ScenarioFailure | undefined {
    const { violation } = this.#invariants;
    if (violation) return failureOf(violation);
    if (this.#plan.error !== undefined) return this.#failure("simulator", stackOf(this.#plan.error));
    if (this.#load?.error !== undefined) return this.#failure("simulator", stackOf(this.#load.error));
    const death = this.#cluster.deaths.find(({ error }) => !hasToGo(error));
    return (
      death && this.#failure("no-process-exits", `${death.process} died at ${death.atMs} ms: ${stackOf(death.error)}`)
    );
  }

  /** Reports the clients' observations that violate a property. */
  #historyFailure(): ScenarioFailure | undefined {
    const [violation, ...more] = this.#load?.violations() ?? [];
    if (violation === undefined) return undefined;
    const others = more.length === 0 ? "" : ` (and ${more.length} more)`;
    return this.#failure(violation.invariant, violation.message + others);
  }

  /**
   * Checks that the cluster recovers after the end of the faults, and remains recovered without any
   * action.
   */
  async #live(): Promise<ScenarioFailure | undefined> {
    // The server may be just starting again, and a delete is tried only once.
    await this.#cluster.during(this.#cluster.server.ready);
    await this.#suspendSchedules();
    const core = { namespace, workloads: await this.#lastingWorkloads(), lostNodes: this.#plan.lostNodes };
    const hasJobs = core.workloads.some((workload) => kindOf(workload).ends);
    const { restsMs, movesMs } = this.#rebalanceTimes();
    const untilMs =
      this.#cluster.nowMs + convergeMaxMs[this.#scenario.profile] + (hasJobs ? jobBackoffMaxMs : 0) + movesMs;
    const wrong = async () =>
      this.#broken() === undefined ? this.#cluster.during(notConverged(this.#cluster, core)) : [];
    let missing = await wrong();
    let isMoving = false;
    // The effects of the last fault, such as a sync of a slow disk, may appear only after the
    // cluster seemed to have recovered.
    do {
      while (missing.length > 0 && this.#cluster.nowMs < untilMs) {
        await this.#pass(stepMs);
        missing = await wrong();
      }
      if (missing.length > 0) return this.#failure("cluster-converges", missing.join("; "));
      const moves = watchForUnrest(this.#cluster);
      await this.#pass(restMs + restsMs);
      isMoving = moves.stop().length > 0 && movesMs > 0 && this.#cluster.nowMs < untilMs;
      missing = await wrong();
    } while (missing.length > 0 || (isMoving && this.#broken() === undefined));
    const unrest = watchForUnrest(this.#cluster);
    await this.#pass(quietMs);
    const moved = unrest.stop();
    missing = await wrong();
    if (this.#broken()) return this.#broken();
    if (missing.length > 0) return this.#failure("cluster-converges", `not recovered yet: ${missing.join("; ")}`);
    return moved.length > 0 ? this.#failure("cluster-comes-to-rest", moved.slice(0, 10).join(", ")) : undefined;
  }

  /**
   * A rebalance continues in a cluster without faults: one pod of each crowd after the other, with
   * pauses between them.
   */
  #rebalanceTimes(): { restsMs: number; movesMs: number } {
    const { workloads, world } = this.#scenario;
    const { rebalanceSettleMs, rebalanceCooldownMs } = this.#cluster.timers;
    if (!world.rebalance) return { restsMs: 0, movesMs: 0 };
    const restsMs = rebalanceSettleMs + rebalanceCooldownMs;
    const pods = workloads.reduce((sum, { replicas, autoscale }) => sum + Math.max(replicas, autoscale?.max ?? 0), 0);
    return { restsMs, movesMs: pods * (restsMs + moveMs) };
  }

  /** A workload that ends by itself never becomes idle, so it is deleted. */
  async #lastingWorkloads(): Promise<ScenarioWorkload[]> {
    const { workloads } = this.#scenario;
    const isRestless = (workload: ScenarioWorkload) => workload.script !== undefined && kindOf(workload).ends !== true;
    for (const workload of workloads) if (isRestless(workload)) await this.#deleteWorkload(workload);
    return workloads.filter((workload) => !isRestless(workload));
  }

  /**
   * A schedule never becomes idle: it continues for some of its times without any fault, and is
   * then suspended.
   */
  async #suspendSchedules(): Promise<void> {
    const { client } = this.#cluster;
    const scheduled = this.#scenario.workloads.filter((workload) => kindOf(workload).suspended !== undefined);
    if (scheduled.length === 0) return;
    await this.#pass(scheduledMs);
    for (const workload of scheduled) {
      const kind = kindOf(workload);
      const body = kind.suspended?.(true) ?? {};
      await this.#insist(() => client.patch(kind.type, { namespace, name: workload.name }, { type: "merge", body }));
    }
  }

  #deleteWorkload(workload: ScenarioWorkload): Promise<void> {
    const { type } = kindOf(workload);
    return this.#insist(() => this.#cluster.client.delete(type, { namespace, name: workload.name }));
  }

  /** Retries if the server stopped before it responded, because its disk may fail once more. */
  async #insist(request: () => Promise<unknown>): Promise<void> {
    const untilMs = this.#cluster.nowMs + convergeMaxMs[this.#scenario.profile];
    for (;;) {
      try {
        await this.#cluster.during(request());
        return;
      } catch (error) {
        if (isApiError(error, "NotFound")) return;
        if (this.#cluster.nowMs > untilMs) throw error;
        await this.#pass(stepMs);
      }
    }
  }

  #failure(check: string, message: string): ScenarioFailure {
    return { check, message, atMs: this.#cluster.nowMs, revision: this.#cluster.store.revision() };
  }
}

function failureOf({ invariant, message, atMs, revision }: Violation): ScenarioFailure {
  return { check: invariant, message, atMs, revision };
}

/** An api-server whose disk has failed must end; other processes never end by themselves. */
function hasToGo(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /(?:^|: )(?:EIO|ENOSPC): /.test(error.message);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
