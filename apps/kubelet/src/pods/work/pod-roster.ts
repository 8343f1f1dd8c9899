import { type BoundPod, isTerminalPhase, wasEvicted } from "../../model/bound-pod.ts";

/** A pod as far as its worker has come with it. */
export interface PodInWork {
  /** Undefined for sandboxes and containers of a pod that the API does not know. */
  readonly pod: BoundPod | undefined;
  readonly phase: "syncing" | "terminating" | "terminated";
  /** It was evicted, and its remains no longer exist. */
  readonly isCleared: boolean;
}

/**
 * The pods that have a worker. The workers keep the list; parts that are made before them, or that
 * must not command them, read it. It needs no limit of its own: it has as many entries as there are
 * workers.
 */
export class PodRoster {
  readonly #pods = new Map<string, PodInWork>();

  /** @param pod stays the worker's: its later changes show here. */
  add(uid: string, pod: PodInWork): void {
    this.#pods.set(uid, pod);
  }

  remove(uid: string): void {
    this.#pods.delete(uid);
  }

  has(uid: string): boolean {
    return this.#pods.has(uid);
  }

  /** True once the pod has been brought to its end: its requested resources are free again. */
  isTerminated(uid: string): boolean {
    return this.#pods.get(uid)?.phase === "terminated";
  }

  /**
   * True once a killed pod takes no resources any more; its ended containers are kept until the API
   * knows of its end.
   */
  isCleanedUp(uid: string): boolean {
    const pod = this.#pods.get(uid);
    return pod === undefined || (pod.phase === "terminated" && !mustBeCleared(pod));
  }

  /** The pods that may run something. */
  activePods(): BoundPod[] {
    return [...this.#pods.values()].flatMap(({ pod, phase }) =>
      pod && phase !== "terminated" && !isTerminalPhase(pod.status?.phase) ? [pod] : [],
    );
  }
}

/**
 * The containers of an evicted pod are its only record until the API has the eviction, so they stay
 * until then (HandlePodReconcile).
 */
export function mustBeCleared({ phase, pod, isCleared }: PodInWork): boolean {
  return phase === "terminated" && !isCleared && pod !== undefined && wasEvicted(pod);
}
