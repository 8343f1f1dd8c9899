import type { ProfileName } from "@kintsugi/api";
import type { Random } from "@kintsugi/clock";
import { SeededRandom } from "@kintsugi/clock/simulated";
import {
  type Fault,
  faults,
  type KeptHistory,
  pick,
  type PlannedFault,
  type Scenario,
  type ScenarioNode,
  serviceNames,
} from "@kintsugi/simulation";
import { drawWorkloads } from "./draw-workloads.ts";
import { withClaims } from "./draw-claims.ts";
import { withQuota } from "./draw-quota.ts";
import { withRebalance } from "./draw-rebalance.ts";
import { hasLittleRoom, withLittleRoom } from "./little-room.ts";

/** The options of a draw; everything else follows from the seed. */
export interface DrawOptions {
  nodes?: number | undefined;
  profile?: ProfileName | undefined;
  /**
   * Virtual time during which faults happen. Default: a few minutes in profile fast, half an hour
   * in the others.
   */
  durationMs?: number | undefined;
  /** The only faults that may be drawn; if absent, all faults may be drawn. */
  faults?: readonly string[] | undefined;
  /** True if the nodes' capacity is hardly more than all wanted pods need; otherwise drawn. */
  littleRoom?: boolean | undefined;
  /** True if the controller-manager runs with `--rebalance`; otherwise drawn. */
  rebalance?: boolean | undefined;
  /** True if pods of StatefulSets have disks, and such a set exists. */
  claims?: boolean | undefined;
}

const second = 1000;
const minute = 60 * second;
const nodesMax = 5;
/**
 * The probability that a fault is used in a run. A run with fewer kinds of faults combines each
 * pair of them more often, and each run has another combination.
 */
const faultIsOn = 0.4;
const nodeIsLost = 0.2;
const hasFaultsApart = 0.4;
const faultsApartMax = 3;
const lossIsVouchedFor = 0.5;
const vouchSeedOffset = 0x7a000000;
const apartSeedOffset = 0x74000000;
const losses = ["kill-node", "cut-node", "kill-kubelet"] as const;
/**
 * Such a short retention makes the server reject late or interrupted watches and lists with 410.
 */
const shortHistory: KeptHistory = { eventsMin: 20, durationMs: 2 * second };

/** The pace of events in a profile. */
interface Pace {
  /** The mean time between two faults. */
  everyMs: number;
  /** The longest durations of faults: short, long, and beyond the profile's timers. */
  lastsMs: readonly number[];
  durationMs: number;
  operationsPerSecond: readonly number[];
}

const slow: Pace = {
  everyMs: minute,
  lastsMs: [5 * second, minute, 6 * minute, 15 * minute],
  durationMs: 20 * minute,
  operationsPerSecond: [0, 0, 0.5],
};
const paces: Readonly<Record<ProfileName, Pace>> = {
  fast: {
    everyMs: 10 * second,
    lastsMs: [2 * second, 8 * second, 15 * second, 40 * second],
    durationMs: 2 * minute,
    // Most of a run's cost is caused by its clients.
    operationsPerSecond: [0, 0, 2, 10],
  },
  default: slow,
  kubernetes: slow,
};

/** Draws one whole run before it begins, so that it can be read, shrunk and stored. */
export function drawScenario(seed: number, options: DrawOptions = {}): Scenario {
  const random = new SeededRandom(seed);
  const profile = options.profile ?? drawProfile(random);
  const durationMs = options.durationMs ?? paces[profile].durationMs;
  const nodes = drawNodes(random, options.nodes ?? 1 + random.integer(nodesMax));
  const workloads = drawWorkloads(random, seed, nodes.length);
  const plan: Plan = { random, profile, nodes, workloads, durationMs };
  const scenario: Scenario = {
    name: `seed-${seed}`,
    seed,
    profile,
    mode: random.float() < 0.8 ? "liveness" : "safety",
    nodes,
    workloads,
    faults: [
      ...drawFaults(plan, swarm(random, options.faults)),
      ...drawApart(plan, seed, options),
      ...drawLoss(plan, seed, options),
    ],
    durationMs,
    world: {
      bus: random.float() < 0.85,
      leaderElection: random.float() < 0.25,
      latencyMaxMs: pick(random, [0, 5, 40, 40, 200]) ?? 0,
      operationsPerSecond: pick(random, paces[profile].operationsPerSecond) ?? 0,
      ...(random.float() < 0.3 ? { kept: shortHistory } : {}),
    },
  };
  const roomy = hasLittleRoom(scenario, options.littleRoom) ? withLittleRoom(scenario) : scenario;
  return withQuota(withClaims(withRebalance(roomy, options.rebalance), options));
}

interface Plan extends Pick<Scenario, "profile" | "nodes" | "workloads" | "durationMs"> {
  random: Random;
}

/** Most runs have the fast profile; the other profiles have the timers that users have. */
function drawProfile(random: Random): ProfileName {
  const roll = random.float();
  if (roll < 0.8) return "fast";
  return roll < 0.9 ? "default" : "kubernetes";
}

function drawNodes(random: Random, count: number): ScenarioNode[] {
  const zones = 1 + random.integer(3);
  return Array.from({ length: count }, (_, index) => ({
    name: `node-${index + 1}`,
    ...(zones > 1 ? { zone: `zone-${(index % zones) + 1}` } : {}),
  }));
}

/** The faults that are possible in this run. */
function swarm(random: Random, names: readonly string[] | undefined): readonly Fault[] {
  if (names !== undefined) return faults.filter(({ name }) => names.includes(name));
  const drawn = faults.filter(({ drawnApart }) => drawnApart !== true);
  const chosen = drawn.filter(() => random.float() < faultIsOn);
  return chosen.length > 0 ? chosen : drawn;
}

function drawFaults(plan: Plan, possible: readonly Fault[]): PlannedFault[] {
  const { random, profile, durationMs } = plan;
  const { everyMs } = paces[profile];
  const planned: PlannedFault[] = [];
  for (let atMs = random.integer(everyMs); atMs < durationMs; atMs += random.integer(2 * everyMs)) {
    const fault = pick(random, possible);
    if (fault) planned.push(drawFault(plan, fault, atMs));
  }
  return planned;
}

/**
 * Draws faults that were added later, for some runs, with a random source of their own, like
 * losses.
 */
function drawApart(plan: Plan, seed: number, { faults: names }: DrawOptions): PlannedFault[] {
  const random = new SeededRandom(seed + apartSeedOffset);
  // A user who names faults gets them in every run.
  if (names !== undefined || random.float() >= hasFaultsApart) return [];
  const possible = faults.filter(
    (fault) => fault.drawnApart && fault.onlyByName !== true && fault.isPossible?.(plan) !== false,
  );
  return Array.from({ length: 1 + random.integer(faultsApartMax) }, () => random.integer(plan.durationMs)).flatMap(
    (atMs) => {
      const fault = pick(random, possible);
      return fault === undefined ? [] : [drawFault({ ...plan, random }, fault, atMs)];
    },
  );
}

/**
 * Draws the permanent loss of one of at least three nodes, for some runs; the other nodes have to
 * recover without it. It has a random source of its own, so that the rest of a seed's run is
 * unchanged.
 */
function drawLoss({ nodes, durationMs }: Plan, seed: number, { faults: names }: DrawOptions): PlannedFault[] {
  const random = new SeededRandom(~seed);
  if (nodes.length < 3 || random.float() >= nodeIsLost) return [];
  const possible = losses.filter((name) => names === undefined || names.includes(name));
  const [fault, target] = [pick(random, possible), pick(random, nodes)?.name];
  if (fault === undefined || target === undefined) return [];
  const isVouchedFor = fault === "kill-node" && new SeededRandom(seed + vouchSeedOffset).float() < lossIsVouchedFor;
  return [{ fault: isVouchedFor ? "fence-node" : fault, atMs: random.integer(durationMs), stays: true, target }];
}

function drawFault(plan: Plan, fault: Fault, atMs: number): PlannedFault {
  const { random, profile } = plan;
  const target = drawTarget(plan, fault);
  const settings = fault.draw?.(random, { profile });
  const forMs = 1 + random.integer(pick(random, paces[profile].lastsMs) ?? second);
  return {
    fault: fault.name,
    atMs,
    ...(fault.lasts ? { forMs } : {}),
    ...(target === undefined ? {} : { target }),
    ...(settings === undefined ? {} : { with: settings }),
  };
}

function drawTarget({ random, nodes, workloads }: Plan, { target }: Fault): string | undefined {
  const nodeNames = nodes.map(({ name }) => name);
  switch (target) {
    case "node":
      return pick(random, nodeNames);
    case "service":
      return pick(random, serviceNames);
    case "process":
      return pick(random, [...serviceNames, ...nodeNames]);
    case "workload":
      return pick(random, workloads)?.name;
    case "zone":
      return pick(random, [...new Set(nodes.map(({ zone }) => zone ?? ""))]);
    // A drawn cluster has one API server.
    case "server":
    case "none":
      return undefined;
  }
}
