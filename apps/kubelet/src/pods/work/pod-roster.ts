import { type BoundPod, isTerminalPhase, wasEvicted } from "../../model/bound-pod.ts";

/** A pod with the progress of its worker. */
export interface PodInWork {
  /** Undefined for sandboxes and containers of a pod that the API does not have. */
  readonly pod: BoundPod | undefined;
  readonly phase: "syncing" | "terminating" | "terminated";
  /** The pod was evicted, and its containers were removed. */
  readonly isCleared: boolean;
}

/**
 * The pods that have a worker. The workers maintain the list. Parts that are made before the
 * workers, or that must not control them, read it. The list does not need a limit of its own,
 * because it has as many entries as there are workers.
 */
export class PodRoster {
  readonly #pods = new Map<string, PodInWork>();

  /** @param pod remains the worker's object, so its later changes are visible here. */
  add(uid: string, pod: PodInWork): void {
    this.#pods.set(uid, pod);
  }

  remove(uid: string): void {
    this.#pods.delete(uid);
  }

  has(uid: string): boolean {
    return this.#pods.has(uid);
  }

  /** True after the pod has ended, so that its requested resources are free again. */
  isTerminated(uid: string): boolean {
    return this.#pods.get(uid)?.phase === "terminated";
  }

  /**
   * True when a killed pod no longer uses resources. Its ended containers are retained until the
   * API shows the pod's end.
   */
  isCleanedUp(uid: string): boolean {
    const pod = this.#pods.get(uid);
    return pod === undefined || (pod.phase === "terminated" && !mustBeCleared(pod));
  }

  /** The pods that may run containers. */
  activePods(): BoundPod[] {
    return [...this.#pods.values()].flatMap(({ pod, phase }) =>
      pod && phase !== "terminated" && !isTerminalPhase(pod.status?.phase) ? [pod] : [],
    );
  }
}

/**
 * The containers of an evicted pod are its only record until the API has the eviction, so they are
 * retained until then (HandlePodReconcile).
 */
export function mustBeCleared({ phase, pod, isCleared }: PodInWork): boolean {
  return phase === "terminated" && !isCleared && pod !== undefined && wasEvicted(pod);
}
