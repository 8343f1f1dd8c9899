import type { ProfileName, TimerProfile } from "@kintsugi/api";
import type { KeptHistory } from "../history/checks/watch-ends.ts";

/**
 * One life of a cluster as data: who lives in it, and what is done to it when. A seed draws one, a
 * user writes one.
 */
export interface Scenario {
  readonly name: string;
  /** Everything that the scenario leaves open follows from it. */
  readonly seed: number;
  readonly profile: ProfileName;
  /** Timers that differ from the profile's. */
  readonly timers?: Partial<TimerProfile>;
  /**
   * "liveness": in the end all faults are undone but those that stay, and what is left has to
   * become whole and come to rest. "safety": it ends in the middle of things; only what may never
   * be is looked for.
   */
  readonly mode: "safety" | "liveness";
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

/** The kinds of workloads; packages/simulation/src/workloads has a row for each. */
export const workloadKindNames = ["ReplicaSet", "Deployment"] as const;

export type WorkloadKindName = (typeof workloadKindNames)[number];

/** An object of one name, whose pods all run the same program. */
export interface ScenarioWorkload {
  readonly name: string;
  /** A ReplicaSet when absent. */
  readonly kind?: WorkloadKindName;
  readonly replicas: number;
  /** "500m"; asks for nothing when absent. */
  readonly cpu?: string;
  /** "64Mi"; a request and a limit. */
  readonly memory?: string;
  /**
   * A script of @kintsugi/cri/testing that decides when its containers end; they run for ever when
   * absent. What ends by itself never comes to rest, so such a workload is deleted before that is
   * asked for.
   */
  readonly script?: string;
  /** How many of its pods a PodDisruptionBudget keeps; it has none when absent. */
  readonly minAvailable?: number;
  /** Whether its containers have a readiness and a liveness probe. */
  readonly probes?: boolean;
  readonly liveness?: ScenarioLiveness;
  /**
   * Whether its containers mount a ConfigMap and a Secret, and have a value of the Secret in their
   * environment.
   */
  readonly volumes?: boolean;
  /** Whether a Service leads to its pods. */
  readonly service?: boolean;
  /** Whether its pods may take the place of those of workloads that are not. */
  readonly important?: boolean;
  /**
   * How long its pods stay on a node that is not ready or unreachable; the cluster's default when
   * absent.
   */
  readonly tolerationSeconds?: number;
  /** Their annotation kintsugi.dev/escalation: "containerRestarts=3,podRestarts=2". */
  readonly escalation?: string;
}

/** A liveness probe that runs a command in the container. */
interface ScenarioLiveness {
  /** For a shell; the container is well while it ends with 0. */
  readonly exec: string;
  readonly periodMs: number;
  readonly failureThreshold: number;
}

/** What is done once: at an instant, to something, for a while. */
export interface PlannedFault {
  /** The name of a fault in the list of faults: "kill-node". */
  readonly fault: string;
  /** After the cluster was whole. */
  readonly atMs: number;
  /** Until it is undone; absent for what is one stroke, and for what lasts until faults end. */
  readonly forMs?: number;
  /**
   * It is not undone at the end either: its target lies outside the core that has to become whole.
   */
  readonly stays?: true;
  /**
   * A node, a service, a zone or a workload by name, as the fault needs; drawn from the seed when
   * absent.
   */
  readonly target?: string;
  /** What else the fault wants to know, `{ loss: 0.5 }`; its defaults hold for what is absent. */
  readonly with?: FaultSettings;
}

export type FaultSettings = Readonly<Record<string, number | string>>;

/** What the services find around them. */
export interface ScenarioWorld {
  /** Whether changes travel over a bus; without it everybody watches over HTTP. */
  readonly bus: boolean;
  /**
   * Whether scheduler and controller-manager run for election, as they must where there are two of
   * them.
   */
  readonly leaderElection: boolean;
  /** The most that a message takes, either way. 0: whatever happens, happens at once. */
  readonly latencyMaxMs: number;
  /**
   * What clients of the API do meanwhile, in ConfigMaps of their own; what they see is checked at
   * the end. Nobody is there when absent.
   */
  readonly operationsPerSecond?: number;
  /**
   * How much of the past the store keeps for watches and continued lists; as in production when
   * absent.
   */
  readonly kept?: KeptHistory;
}
