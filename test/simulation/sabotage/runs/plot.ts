import type { PlannedFault, Scenario, ScenarioWorkload } from "@kintsugi/simulation";
import type { VirtualCluster } from "@kintsugi/simulator/factory";

export const second = 1000;

/** A scenario with an action that is not in the list of faults. */
export interface PlannedRun extends Scenario {
  /** Called with the cluster before anything in it has started. */
  readonly deed?: (cluster: VirtualCluster) => void;
}

/** The subject of a run; the rest is as in `aRun`. */
interface Plot extends Pick<PlannedRun, "deed"> {
  workloads: readonly ScenarioWorkload[];
  faults: readonly PlannedFault[];
  nodes?: number;
  profile?: Scenario["profile"];
  mode?: Scenario["mode"];
  world?: Partial<Scenario["world"]>;
  /** Time for which the run continues after the last fault. */
  afterMs?: number;
}

/**
 * Three nodes in the fastest profile, and delayed messages, so that every cache lags. Only safety
 * violations are searched for, which is soon done, unless the plot is a "liveness" plot.
 */
export function aRun(name: string, seed: number, plot: Plot): PlannedRun {
  const { workloads, faults, nodes = 3, profile = "fast", mode = "safety", world, deed, afterMs = 5 * second } = plot;
  const lastMs = Math.max(0, ...faults.map(({ atMs, forMs = 0 }) => atMs + forMs));
  return {
    name,
    seed,
    profile,
    mode,
    nodes: Array.from({ length: nodes }, (_, index) => ({ name: `node-${index + 1}` })),
    workloads,
    faults,
    durationMs: lastMs + afterMs,
    world: { bus: true, leaderElection: true, latencyMaxMs: 200, ...world },
    ...(deed && { deed }),
  };
}

type Deed = Omit<PlannedFault, "atMs">;

/** One action after the other. */
export function every(everyMs: number, count: number, deed: (turn: number) => Deed): PlannedFault[] {
  return Array.from({ length: count }, (_, turn) => ({ ...deed(turn), atMs: (turn + 1) * everyMs }));
}

/** The same actions, with this delay. */
export function later(actions: readonly PlannedFault[], byMs: number): PlannedFault[] {
  return actions.map((deed) => ({ ...deed, atMs: deed.atMs + byMs }));
}

/** The same action after each of the other actions, each time a little later. */
export function behindEach(others: readonly PlannedFault[], laterMs: number, deed: Deed): PlannedFault[] {
  return others.flatMap((other, turn) => [other, { ...deed, atMs: other.atMs + laterMs * (turn + 1) }]);
}

export function eachNode(deed: Deed): PlannedFault[] {
  return ["node-1", "node-2", "node-3"].map((target) => ({ ...deed, target, atMs: second }));
}

export function scaleTo(replicas: number): Deed {
  return { fault: "scale", target: "web", with: { replicas } };
}

export const web = (replicas: number): readonly ScenarioWorkload[] => [{ name: "web", replicas }];
