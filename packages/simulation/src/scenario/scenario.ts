import type { ProfileName, TimerProfile } from "@kintsugi/api";
import type { KeptHistory } from "../history/checks/watch-ends.ts";

/**
 * One run of a cluster as data: its nodes and workloads, and its faults with their times. A seed
 * draws it, or a user writes it.
 */
export interface Scenario {
  readonly name: string;
  /** The source of everything that the scenario leaves open. */
  readonly seed: number;
  readonly profile: ProfileName;
  /** Timers that differ from the profile's. */
  readonly timers?: Partial<TimerProfile>;
  /**
   * "liveness": at the end all faults are undone except faults that remain, and the rest of the
   * cluster has to recover and become idle. "safety": the run ends in the middle of events; only
   * violations of safety are found.
   */
  readonly mode: "safety" | "liveness";
  readonly nodes: readonly ScenarioNode[];
  readonly workloads: readonly ScenarioWorkload[];
  readonly faults: readonly PlannedFault[];
  /** Time during which faults may happen, from the time when the cluster is complete. */
  readonly durationMs: number;
  readonly world: ScenarioWorld;
}

export interface ScenarioNode {
  readonly name: string;
  /** The node's label topology.kubernetes.io/zone. */
  readonly zone?: string;
}

/** The kinds of workloads; packages/simulation/src/workloads has a row for each kind. */
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

export const scenarioSpreads = ["zone", "node"] as const;

export const scenarioConcurrencies = ["Allow", "Forbid", "Replace"] as const;

/** An object of one name, whose pods all run the same program. */
export interface ScenarioWorkload {
  readonly name: string;
  /** A ReplicaSet when absent. */
  readonly kind?: WorkloadKindName;
  /**
   * A Job runs this many pods at a time; a DaemonSet has one pod for each node, regardless of this
   * number.
   */
  readonly replicas: number;
  /** The completions of a Job; equal to its replicas when absent. */
  readonly completions?: number;
  /** True for a Job whose completions have indexes. */
  readonly indexed?: boolean;
  /** True for a StatefulSet with parallel pod management. */
  readonly parallel?: boolean;
  /** The schedule of a CronJob in UTC, "0 * * * *"; every minute when absent. */
  readonly schedule?: string;
  /**
   * The concurrency policy of a CronJob, for a Job that still runs when the next Job is due;
   * "Allow" when absent.
   */
  readonly concurrency?: (typeof scenarioConcurrencies)[number];
  /**
   * The starting deadline of a CronJob's Job, which is skipped afterwards; no deadline when absent.
   */
  readonly startingDeadlineSeconds?: number;
  /** The request, "500m"; no request when absent. */
  readonly cpu?: string;
  /** "64Mi"; a request and a limit. */
  readonly memory?: string;
  /**
   * A script of @kintsugi/cri/simulated that decides when its containers end; they run forever when
   * absent. A workload that ends by itself never becomes idle, so it is deleted before that check.
   */
  readonly script?: string;
  /** The minimum of its PodDisruptionBudget; no budget when absent. */
  readonly minAvailable?: number;
  /** True if its containers have a readiness and a liveness probe. */
  readonly probes?: boolean;
  readonly liveness?: ScenarioLiveness;
  /**
   * The containers mount a ConfigMap and a Secret, and have a value of the Secret in their
   * environment.
   */
  readonly volumes?: boolean;
  /** True for a StatefulSet whose pods each have a disk of a simulated cloud, by a claim. */
  readonly claims?: boolean;
  /** True if each pod of the workload has a device, from a claim that is made from a template. */
  readonly devices?: boolean;
  readonly autoscale?: ScenarioAutoscale;
  /** True if a Service routes to its pods. */
  readonly service?: boolean;
  /** True if the workload's pods may preempt the pods of unimportant workloads. */
  readonly important?: boolean;
  /**
   * The time for which its pods tolerate a node that is not ready or unreachable; the cluster's
   * default when absent.
   */
  readonly tolerationSeconds?: number;
  /**
   * A required spread constraint of its pods over zones or nodes (maxSkew 1, DoNotSchedule).
   * Default: the scheduler's own preference.
   */
  readonly spread?: (typeof scenarioSpreads)[number];
  /**
   * True if its pods are stopped on a node that is cut off, by their annotation
   * kintsugi.dev/fence-on-partition.
   */
  readonly fenced?: boolean;
  /** The pods' annotation kintsugi.dev/escalation: "containerRestarts=3,podRestarts=2". */
  readonly escalation?: string;
  /**
   * The workload's annotation kintsugi.dev/rebalance: with rebalancing enabled, its pods may always
   * move, or never.
   */
  readonly rebalance?: boolean;
}

/** A HorizontalPodAutoscaler of a workload. */
interface ScenarioAutoscale {
  readonly min: number;
  readonly max: number;
  /** The CPU time that each pod is to use on average, "100m". */
  readonly cpu: string;
  /** The CPU time that clients request from all pods together, "300m"; no load when absent. */
  readonly load?: string;
}

/** A liveness probe that runs a command in the container. */
interface ScenarioLiveness {
  /** A command for a shell; the container is healthy while it ends with 0. */
  readonly exec: string;
  readonly periodMs: number;
  readonly failureThreshold: number;
}

/** One fault: at an instant, on a target, for a while. */
export interface PlannedFault {
  /** The name of a fault in the list of faults: "kill-node". */
  readonly fault: string;
  /** The time after the cluster was complete. */
  readonly atMs: number;
  /**
   * The time until the fault is undone; absent for an instantaneous fault, and for a fault that
   * lasts until all faults end.
   */
  readonly forMs?: number;
  /**
   * True if the fault is never undone, even at the end: its target is outside of the core that has
   * to recover.
   */
  readonly stays?: true;
  /**
   * A node, a service, a zone or a workload by name, as the fault requires; drawn from the seed
   * when absent.
   */
  readonly target?: string;
  /** The fault's other settings, `{ loss: 0.5 }`; absent settings have their defaults. */
  readonly with?: FaultSettings;
}

export type FaultSettings = Readonly<Record<string, number | string>>;

/** The maximum that all workloads together may use. */
export interface ScenarioQuota {
  readonly pods: number;
  /** "8", the sum of all requests; with this limit, pods without a request are rejected. */
  readonly cpu?: string;
}

/** The environment of the services. */
export interface ScenarioWorld {
  /** True if changes are published over a bus; without a bus, all processes use HTTP watches. */
  readonly bus: boolean;
  /**
   * True if scheduler and controller-manager use leader election, as they must if each has two
   * instances.
   */
  readonly leaderElection: boolean;
  /** True if the controller-manager runs with `--rebalance`; when absent, it never moves pods. */
  readonly rebalance?: true;
  /** The machines of the control plane, "server-1", …; one machine when absent. */
  readonly servers?: number;
  /** A quota of the namespace of all workloads; no quota when absent. */
  readonly quota?: ScenarioQuota;
  /** The longest delay of a message, in either direction. 0: messages arrive immediately. */
  readonly latencyMaxMs: number;
  /**
   * The rate of operations of additional API clients, on ConfigMaps of their own; their
   * observations are checked at the end. When absent, such clients do not run.
   */
  readonly operationsPerSecond?: number;
  /** The store's retention for watches and continued lists; as in production when absent. */
  readonly kept?: KeptHistory;
}
