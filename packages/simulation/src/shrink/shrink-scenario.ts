import type { PlannedFault, Scenario } from "../scenario/scenario.ts";
import { minimizeList } from "./minimize-list.ts";

interface ShrinkDeps {
  /** Runs the scenario; reports whether it fails the same check as the original. */
  stillFails: (scenario: Scenario) => Promise<boolean>;
}

interface ShrinkOptions {
  /** Maximum number of runs, each of which takes as long as the failure took. */
  runsMax: number;
}

interface Shrunk {
  readonly scenario: Scenario;
  /** The number of runs that the search took. */
  readonly runs: number;
}

const second = 1000;

/**
 * The smallest scenario that was found to fail the same way: fewest faults first, then without all
 * other parts that can be removed or shortened.
 */
export async function shrinkScenario(failing: Scenario, deps: ShrinkDeps, options: ShrinkOptions): Promise<Shrunk> {
  const shrinking = new Shrinking(failing, deps, options);
  await shrinking.leaveOutFaults();
  await shrinking.tryAll(withoutOneWorkload);
  await shrinking.tryAll(withoutOneNode);
  await shrinking.tryAll(withFewerReplicas);
  await shrinking.tryAll(withPlainerWorkloads);
  await shrinking.tryAll(inPlainerWorld);
  await shrinking.tryAll(withShorterFaults);
  await shrinking.tryAll(withShorterRun);
  await shrinking.leaveOutFaults();
  return shrinking.result();
}

class Shrinking {
  readonly #deps: ShrinkDeps;
  readonly #options: ShrinkOptions;
  #smallest: Scenario;
  #runs = 0;

  constructor(failing: Scenario, deps: ShrinkDeps, options: ShrinkOptions) {
    this.#smallest = failing;
    this.#deps = deps;
    this.#options = options;
  }

  result(): Shrunk {
    return { scenario: this.#smallest, runs: this.#runs };
  }

  async leaveOutFaults(): Promise<void> {
    await minimizeList(this.#smallest.faults, (faults) => this.#try({ ...this.#smallest, faults }));
  }

  /**
   * Takes the first simpler scenario that still fails, and starts again from it, until all simpler
   * scenarios pass.
   */
  async tryAll(simpler: (scenario: Scenario) => Iterable<Scenario>): Promise<void> {
    for (let found = true; found;) {
      found = false;
      for (const candidate of simpler(this.#smallest)) {
        found = await this.#try(candidate);
        if (found) break;
      }
    }
  }

  /** Every scenario counts as passed when the runs are used up. */
  async #try(candidate: Scenario): Promise<boolean> {
    if (this.#runs >= this.#options.runsMax) return false;
    this.#runs++;
    if (!(await this.#deps.stillFails(candidate))) return false;
    this.#smallest = candidate;
    return true;
  }
}

function* withoutOneWorkload(scenario: Scenario): Generator<Scenario> {
  const { workloads } = scenario;
  if (workloads.length <= 1) return;
  for (const { name } of [...workloads].reverse())
    yield { ...without(scenario, name), workloads: workloads.filter((workload) => workload.name !== name) };
}

function* withoutOneNode(scenario: Scenario): Generator<Scenario> {
  const { nodes } = scenario;
  if (nodes.length <= 1) return;
  for (const { name } of [...nodes].reverse())
    yield { ...without(scenario, name), nodes: nodes.filter((node) => node.name !== name) };
}

/** Returns the scenario without the faults that hit a removed target. */
function without(scenario: Scenario, target: string): Scenario {
  return { ...scenario, faults: scenario.faults.filter((fault) => fault.target !== target) };
}

function* withFewerReplicas(scenario: Scenario): Generator<Scenario> {
  for (const [index, { replicas }] of scenario.workloads.entries()) {
    for (const fewer of new Set([1, Math.floor(replicas / 2), replicas - 1])) {
      if (fewer < 1 || fewer >= replicas) continue;
      yield withWorkload(scenario, index, ({ minAvailable, ...workload }) => ({
        ...workload,
        replicas: fewer,
        ...(minAvailable === undefined ? {} : { minAvailable: Math.min(minAvailable, fewer) }),
      }));
    }
  }
}

function* withPlainerWorkloads(scenario: Scenario): Generator<Scenario> {
  for (const [index, workload] of scenario.workloads.entries()) {
    const { name, replicas, ...traits } = workload;
    for (const trait of Object.keys(traits)) {
      const { [trait as keyof typeof traits]: _, ...plainer } = traits;
      yield withWorkload(scenario, index, () => ({ name, replicas, ...plainer }));
    }
  }
}

type Workload = Scenario["workloads"][number];

function withWorkload(scenario: Scenario, index: number, change: (workload: Workload) => Workload): Scenario {
  return { ...scenario, workloads: scenario.workloads.map((each, at) => (at === index ? change(each) : each)) };
}

/**
 * Yields scenarios without clients, without a rebalance, without delays of messages, without
 * elections, with the retention of a real store.
 */
function* inPlainerWorld(scenario: Scenario): Generator<Scenario> {
  const { operationsPerSecond, kept, rebalance, ...still } = scenario.world;
  const world = { ...still, ...(rebalance ? { rebalance } : {}) };
  const kind = { ...(operationsPerSecond === undefined ? {} : { operationsPerSecond }), ...(kept ? { kept } : {}) };
  if (operationsPerSecond !== undefined) yield { ...scenario, world: { ...world, ...(kept ? { kept } : {}) } };
  if (kept)
    yield { ...scenario, world: { ...world, ...(operationsPerSecond === undefined ? {} : { operationsPerSecond }) } };
  if (rebalance) yield { ...scenario, world: { ...still, ...kind } };
  if (world.latencyMaxMs > 0) yield { ...scenario, world: { ...world, ...kind, latencyMaxMs: 0 } };
  if (world.leaderElection) yield { ...scenario, world: { ...world, ...kind, leaderElection: false } };
}

/**
 * Yields scenarios in which a fault lasts half as long, in whole seconds, which are easier to read.
 */
function* withShorterFaults(scenario: Scenario): Generator<Scenario> {
  for (const [index, fault] of scenario.faults.entries()) {
    const { atMs, forMs } = fault;
    if (forMs !== undefined && forMs > second) yield withFault(scenario, index, { ...fault, forMs: halved(forMs) });
    if (atMs % second !== 0) yield withFault(scenario, index, { ...fault, atMs: Math.floor(atMs / second) * second });
    if (forMs !== undefined && forMs > second && forMs % second !== 0)
      yield withFault(scenario, index, { ...fault, forMs: Math.ceil(forMs / second) * second });
  }
}

function withFault(scenario: Scenario, index: number, fault: PlannedFault): Scenario {
  return { ...scenario, faults: scenario.faults.map((each, at) => (at === index ? fault : each)) };
}

/** Yields scenarios that end with the last fault, or that are half as long. */
function* withShorterRun(scenario: Scenario): Generator<Scenario> {
  const { durationMs, faults } = scenario;
  const lastMs = Math.max(0, ...faults.map(({ atMs, forMs = 0 }) => atMs + forMs));
  const lastBeginMs = Math.max(0, ...faults.map(({ atMs }) => atMs));
  for (const shorter of new Set([lastMs + second, Math.max(halved(durationMs), lastBeginMs + second)]))
    if (shorter < durationMs) yield { ...scenario, durationMs: shorter };
}

function halved(ms: number): number {
  return Math.max(second, Math.floor(ms / 2 / second) * second);
}
