import type { ProfileName, TimerProfile } from "@kintsugi/api";
import type { KeptHistory } from "../history/checks/watch-ends.ts";

/**
 * One run of a cluster as data: its nodes and workloads, and its faults with their times. A seed
 * draws one, a user writes one.
 */
export interface Scenario {
  readonly name: string;
  /** Everything that the scenario leaves open follows from it. */
  readonly seed: number;
  readonly profile: ProfileName;
  /** Timers that differ from the profile's. */
  readonly timers?: Partial<TimerProfile>;
  /**
   * "liveness": in the end all faults are undone except those that stay, and the rest has to become
   * whole and come to rest. "safety": it ends in the middle of events; only violations of safety
   * are searched for.
   */
  readonly mode: "safety" | "liveness";
  readonly nodes: readonly ScenarioNode[];
  readonly workloads: readonly ScenarioWorkload[];
  readonly faults: readonly PlannedFault[];
  /** Faults may happen for this long, from the time when the cluster is whole. */
  readonly durationMs: number;
  readonly world: ScenarioWorld;
}

export interface ScenarioNode {
  readonly name: string;
  /** Its topology.kubernetes.io/zone label. */
  readonly zone?: string;
}

/** The kinds of workloads; packages/simulation/src/workloads has a row for each. */
export const workloadKindNames = [
  "ReplicaSet",
  "Deployment",
  "StatefulSet",
  "Job",
  "DaemonSet",
  "ReplicationController",
  "CronJob",
] as const;

export type WorkloadKindName = (typeof workloadKindNames)[number];

export const scenarioConcurrencies = ["Allow", "Forbid", "Replace"] as const;

/** An object of one name, whose pods all run the same program. */
export interface ScenarioWorkload {
  readonly name: string;
  /** A ReplicaSet when absent. */
  readonly kind?: WorkloadKindName;
  /** A Job runs so many at a time; a DaemonSet has one for each node, whatever this is. */
  readonly replicas: number;
  /** A Job's; as many as its replicas when absent. */
  readonly completions?: number;
  /** True for a Job whose completions have indexes. */
  readonly indexed?: boolean;
  /** True for a StatefulSet that does not wait from one pod to the next. */
  readonly parallel?: boolean;
  /** The times of a CronJob in UTC, "0 * * * *"; every minute when absent. */
  readonly schedule?: string;
  /** The handling of a CronJob's Job that still runs when the next is due; "Allow" when absent. */
  readonly concurrency?: (typeof scenarioConcurrencies)[number];
  /** A CronJob's Job that could not be started for so long is left out; never when absent. */
  readonly startingDeadlineSeconds?: number;
  /** The request, "500m"; none when absent. */
  readonly cpu?: string;
  /** "64Mi"; a request and a limit. */
  readonly memory?: string;
  /**
   * A script of @kintsugi/cri/testing that decides when its containers end; they run forever when
   * absent. A workload that ends by itself never comes to rest, so it is deleted before that is
   * checked.
   */
  readonly script?: string;
  /** The number of its pods that a PodDisruptionBudget keeps; it has none when absent. */
  readonly minAvailable?: number;
  /** Its containers have a readiness and a liveness probe. */
  readonly probes?: boolean;
  readonly liveness?: ScenarioLiveness;
  /**
   * Its containers mount a ConfigMap and a Secret, and have a value of the Secret in their
   * environment.
   */
  readonly volumes?: boolean;
  /** True for a StatefulSet whose pods have a disk of a simulated cloud each, by a claim. */
  readonly claims?: boolean;
  /** Its pods have a device each, by a claim that is made of a template. */
  readonly devices?: boolean;
  readonly autoscale?: ScenarioAutoscale;
  /** A Service leads to its pods. */
  readonly service?: boolean;
  /** Its pods may take the place of those of unimportant workloads. */
  readonly important?: boolean;
  /**
   * The time that its pods stay on a node that is not ready or unreachable; the cluster's default
   * when absent.
   */
  readonly tolerationSeconds?: number;
  /**
   * Its pods are stopped on a node that is cut off, by their annotation
   * kintsugi.dev/fence-on-partition.
   */
  readonly fenced?: boolean;
  /** Their annotation kintsugi.dev/escalation: "containerRestarts=3,podRestarts=2". */
  readonly escalation?: string;
  /**
   * Its annotation kintsugi.dev/rebalance: in a world that rebalances, its pods move in any case,
   * or in no case.
   */
  readonly rebalance?: boolean;
}

/** A HorizontalPodAutoscaler of a workload. */
interface ScenarioAutoscale {
  readonly min: number;
  readonly max: number;
  /** The processor time that each pod is to use on average, "100m". */
  readonly cpu: string;
  /** The processor time that clients ask of all pods together, "300m"; none when absent. */
  readonly load?: string;
}

/** A liveness probe that runs a command in the container. */
interface ScenarioLiveness {
  /** A command for a shell; the container is well while it ends with 0. */
  readonly exec: string;
  readonly periodMs: number;
  readonly failureThreshold: number;
}

/** One fault: at an instant, on a target, for a while. */
export interface PlannedFault {
  /** The name of a fault in the list of faults: "kill-node". */
  readonly fault: string;
  /** The time after the cluster was whole. */
  readonly atMs: number;
  /**
   * The time until it is undone; absent for a fault of one stroke, and for one that lasts until
   * faults end.
   */
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
  /** The fault's other settings, `{ loss: 0.5 }`; its defaults hold for absent ones. */
  readonly with?: FaultSettings;
}

export type FaultSettings = Readonly<Record<string, number | string>>;

/** The most that all workloads together may use. */
export interface ScenarioQuota {
  readonly pods: number;
  /** "8", the sum of all requests; pods without a request are refused then. */
  readonly cpu?: string;
}

/** The surroundings of the services. */
export interface ScenarioWorld {
  /** Changes travel over a bus; without it all processes watch over HTTP. */
  readonly bus: boolean;
  /**
   * Scheduler and controller-manager run for election, as they must where there are two of them.
   */
  readonly leaderElection: boolean;
  /** The controller-manager runs with `--rebalance`; it moves no pods when absent. */
  readonly rebalance?: true;
  /** The machines of the control plane, "server-1", …; there is one when absent. */
  readonly servers?: number;
  /** A quota of the namespace of all workloads; there is none when absent. */
  readonly quota?: ScenarioQuota;
  /** The most that a message takes, either way. 0: everything happens immediately. */
  readonly latencyMaxMs: number;
  /**
   * The rate of operations of the API's clients in the meantime, in ConfigMaps of their own; their
   * observations are checked at the end. There are no such clients when absent.
   */
  readonly operationsPerSecond?: number;
  /**
   * The part of the past that the store keeps for watches and continued lists; as in production
   * when absent.
   */
  readonly kept?: KeptHistory;
}
