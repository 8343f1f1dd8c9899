import type { ProfileName } from "@kintsugi/api";

/** One life of a cluster as data: who lives in it, and what is done to it when. A seed draws one, a user writes one. */
export interface Scenario {
  readonly name: string;
  /** Everything that the scenario leaves open follows from it. */
  readonly seed: number;
  readonly profile: ProfileName;
  readonly nodes: readonly ScenarioNode[];
  readonly workloads: readonly ScenarioWorkload[];
  readonly faults: readonly PlannedFault[];
  /** How long faults may happen, from when the cluster is whole. */
  readonly durationMs: number;
  readonly world: ScenarioWorld;
}

export interface ScenarioNode {
  readonly name: string;
  /** Its topology.kubernetes.io/zone label. */
  readonly zone?: string;
}

/** A ReplicaSet of one name, whose pods all run the same program. */
export interface ScenarioWorkload {
  readonly name: string;
  readonly replicas: number;
  /** "500m"; asks for nothing when absent. */
  readonly cpu?: string;
  /** A script of @kintsugi/cri/testing that decides when its containers end; they run for ever when absent. */
  readonly script?: string;
}

/** What is done once: at an instant, to something, for a while. */
export interface PlannedFault {
  /** The name of a fault in the list of faults: "kill-node". */
  readonly fault: string;
  /** After the cluster was whole. */
  readonly atMs: number;
  /** Until it is undone; absent for what cannot be undone, or is not before faults end. */
  readonly forMs?: number;
  /** A node, a service or a workload by name, as the fault needs; drawn from the seed when absent. */
  readonly target?: string;
}

/** What the services find around them. */
export interface ScenarioWorld {
  /** Whether changes travel over a bus; without it everybody watches over HTTP. */
  readonly bus: boolean;
  /** Whether scheduler and controller-manager run for election, as they must where there are two of them. */
  readonly leaderElection: boolean;
  /** The most that a message takes, either way. 0: whatever happens, happens at once. */
  readonly latencyMaxMs: number;
}
