import type { Client } from "@kintsugi/client";
import type { Random } from "@kintsugi/clock";

/**
 * The causes of all incidents: an answer is chosen from them, so that a program can evaluate it.
 */
export const causes = {
  "autoscaler-bounds": "An autoscaler keeps the workload at fewer pods than it needs.",
  "bad-command": "The containers of a new revision exit, because their command fails.",
  "bad-image": "A new revision has an image that cannot be pulled.",
  "bad-probe": "A new revision has a readiness probe that fails in a container that works.",
  "cronjob-suspended": "The schedule is suspended.",
  "finalizer-without-owner": "An object has a finalizer that no controller removes.",
  "limit-range": "A limit of the namespace rejects the pods' requests.",
  "memory-limit": "The containers of a new revision use more memory than their limit.",
  "missing-config-map": "A ConfigMap that containers read was deleted.",
  "missing-service-account": "The pods' ServiceAccount was deleted.",
  "no-room": "The pods request more resources than any node has.",
  "node-dead": "A machine has failed and does not return.",
  "nodes-cordoned": "The nodes are cordoned.",
  "nodes-tainted": "The nodes have a taint that the pods do not tolerate.",
  preempted: "Pods of a higher priority have taken the capacity.",
  quota: "A quota of the namespace is used up.",
  "scheduler-name": "The pods name a scheduler that does not run.",
  "scaled-down": "The workload was scaled down.",
  "service-selector": "The Service selects labels that its pods do not have.",
  "webhook-away": "An admission webhook does not respond, and its failure policy is Fail.",
} as const;

export type IncidentCause = keyof typeof causes;

/** The cluster in the form that an incident changes, as a user or a machine would. */
export interface IncidentWorld {
  readonly client: Client;
  readonly random: Random;
  readonly nodes: readonly string[];
  /** Kills a machine, which does not return. */
  readonly killNode: (name: string) => Promise<void>;
}

/**
 * An object that must be unchanged at the end; a solution that changes or removes it is invalid.
 */
export interface Kept {
  readonly what: string;
  /** The moment whose state counts. Default "baseline". */
  readonly since?: "baseline" | "strike";
  /** A string that changes if the object is replaced or loses its purpose. */
  readonly read: (client: Client) => Promise<string>;
}

/** A fault of a cluster that was healthy. */
export interface Incident {
  readonly name: string;
  /**
   * The scenario of the simulator from which the incident is made; absent for an incident that a
   * user's change caused.
   */
  readonly scenario?: string;
  /** The words of a user who notices the incident, without its cause. */
  readonly symptom: string;
  readonly cause: IncidentCause;
  /** Makes the workloads of a healthy cluster. */
  readonly baseline: (client: Client) => Promise<void>;
  readonly strike: (world: IncidentWorld) => Promise<void>;
  /** Returns a sentence while the harm continues. `nowMs` is the cluster's time. */
  readonly harm: (client: Client, nowMs: number) => Promise<string | undefined>;
  readonly kept: readonly Kept[];
}
