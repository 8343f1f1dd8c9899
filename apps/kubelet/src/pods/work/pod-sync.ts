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
   * The pod was evicted and the API has recorded it: removes its ended containers and their logs,
   * to free their space.
   */
  clear(pod: PodIdentity, signal: AbortSignal): Promise<void>;
  /**
   * The pod's containers have ended and its deletion was requested, so its object may be removed
   * from the API.
   */
  release(pod: BoundPod): void;
  /**
   * The API no longer has the pod, so its requested resources are free for others, although the pod
   * may still run.
   */
  vacate(uid: string): void;
  /** Stops and removes everything on the node of a pod that no longer exists. */
  remove(pod: PodIdentity, signal: AbortSignal): Promise<void>;
  /** The pod will not run again. */
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
