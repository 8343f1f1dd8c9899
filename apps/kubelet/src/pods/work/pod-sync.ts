import type { BoundPod } from "../../model/bound-pod.ts";
import type { EndVerdict } from "../../model/verdicts.ts";
import type { PodIdentity } from "../../runtime/observation/container-events.ts";

/**
 * The work of a worker for its pod; each part can be repeated, and each reads the runtime before it
 * acts.
 */
export interface PodSync {
  /** Brings the pod nearer to its spec. */
  sync(pod: BoundPod, signal: AbortSignal): Promise<SyncOutcome>;
  /** Stops everything that the pod runs. Resolves only when nothing runs any more. */
  terminate(pod: BoundPod, how: Termination, signal: AbortSignal): Promise<void>;
  /**
   * The pod was evicted and the API has recorded it: removes its ended containers and their logs,
   * for the room that they take.
   */
  clear(pod: PodIdentity, signal: AbortSignal): Promise<void>;
  /**
   * Nothing of the pod runs, and its deletion was requested: its object may be removed from the
   * API.
   */
  release(pod: BoundPod): void;
  /**
   * The API no longer has the pod: its requested resources are free for others, although the pod
   * may still run.
   */
  vacate(uid: string): void;
  /** Stops and removes the node's remains of a pod that no longer exists. */
  remove(pod: PodIdentity, signal: AbortSignal): Promise<void>;
  /** The pod will not come up again. */
  forget(uid: string): void;
}

export interface SyncOutcome {
  /** The pod has come to its end (Succeeded, Failed): stop its remaining containers. */
  ended: boolean;
  /** The time until the next look, if nothing happens before. */
  retryAfterMs?: number | undefined;
}

export interface Termination {
  graceSeconds: number;
  /** The reason why the kubelet itself ends the pod. */
  verdict?: EndVerdict | undefined;
}
