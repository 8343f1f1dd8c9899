import type { BoundPod } from "../../model/bound-pod.ts";
import type { EndVerdict } from "../../model/verdicts.ts";
import type { PodIdentity } from "../../runtime/observation/container-events.ts";

/**
 * The work of a worker for its pod. Each part may be repeated, and each reads the runtime before it
 * acts.
 */
export interface PodSync {
  /** Moves the pod towards its spec. */
  sync(pod: BoundPod, signal: AbortSignal): Promise<SyncOutcome>;
  /** Stops all containers of the pod. Resolves only when all containers have stopped. */
  terminate(pod: BoundPod, how: Termination, signal: AbortSignal): Promise<void>;
  /**
   * Removes the ended containers of an evicted pod with their logs, to free their space. Called
   * after the API has recorded the eviction.
   */
  clear(pod: PodIdentity, signal: AbortSignal): Promise<void>;
  /**
   * Lets the pod's object be removed from the API, because its containers have ended and its
   * deletion was requested.
   */
  release(pod: BoundPod): void;
  /**
   * Frees the requested resources of a pod that the API no longer has, although the pod may still
   * run.
   */
  vacate(uid: string): void;
  /** Stops and removes everything on the node of a pod that no longer exists. */
  remove(pod: PodIdentity, signal: AbortSignal): Promise<void>;
  /** Removes the state of a pod that will not run again. */
  forget(uid: string): void;
}

export interface SyncOutcome {
  /** The pod has ended (Succeeded, Failed), so its remaining containers have to be stopped. */
  ended: boolean;
  /** The time until the next inspection, if nothing happens before. */
  retryAfterMs?: number | undefined;
}

export interface Termination {
  graceSeconds: number;
  /** The reason why the kubelet itself ends the pod. */
  verdict?: EndVerdict | undefined;
}
