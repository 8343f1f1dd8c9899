import type { WorkloadRef } from "../owners.ts";
import type { FaultBar, PodSample } from "../pod-counts.ts";
import type { ProfileName, TimelineEntry, TimerProfile } from "@kintsugi/api";

/** The history of a cluster that a player replays. Times are wall times in milliseconds. */
export interface StoryRecording {
  readonly title: string;
  /** One paragraph under the title; "" for no paragraph. */
  readonly description: string;
  readonly clusterName: string;
  /** True for a cluster in virtual time, to which kubeconfigs do not lead. Default: false. */
  readonly isSimulated?: true;
  readonly profile: ProfileName;
  /** The cluster's timers, if they differ from the profile's. */
  readonly timers?: TimerProfile;
  readonly fromMs: number;
  readonly toMs: number;
  /** Oldest first. */
  readonly steps: readonly TimelineEntry[];
  /** Oldest first; the changes at `fromMs` are the objects that existed at the beginning. */
  readonly changes: readonly ObjectChange[];
  /** The changes include the states of nodes and pods; without them, only the steps are known. */
  readonly hasObjects: boolean;
  /** Oldest first. */
  readonly captions: readonly Caption[];
  /**
   * The pods of each workload, oldest first: as they really ran in a simulation, or as the timeline
   * of a cluster has them.
   */
  readonly pods?: readonly PodHistory[];
  /** Oldest first. */
  readonly faults?: readonly FaultBar[];
}

/** The pods of one workload over the time of a recording. */
export interface PodHistory {
  readonly workload: string;
  /** The workload itself, if several workloads of the recording may have the same name. */
  readonly of?: WorkloadRef;
  readonly samples: readonly PodSample[];
  /** The number of pods that were made and evicted, and of restarts, in the whole run. */
  readonly counts?: Readonly<Record<"created" | "evictions" | "restarts", number>>;
}

/** One object as it was written, or its removal. */
export interface ObjectChange {
  readonly atMs: number;
  /** The plural name of the kind: "pods". */
  readonly kind: string;
  readonly is: "put" | "removed";
  readonly object: object;
}

/** A sentence that the player shows from its time on. */
export interface Caption {
  readonly atMs: number;
  readonly text: string;
}
