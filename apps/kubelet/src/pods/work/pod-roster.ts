import { type BoundPod, isTerminalPhase, wasEvicted } from "../../model/bound-pod.ts";

/** A pod as far as its worker has come with it. */
export interface PodInWork {
  /** Undefined for what the runtime has of a pod that the API does not know. */
  readonly pod: BoundPod | undefined;
  readonly phase: "syncing" | "terminating" | "terminated";
  /** It was evicted, and what it left behind is gone. */
  readonly isCleared: boolean;
}

/**
 * The pods that have a worker. The workers keep it; what is made before them, or is not to command them, reads it. It has no
 * limit of its own: there are as many entries as workers.
 */
export class PodRoster {
  readonly #pods = new Map<string, PodInWork>();

  /** @param pod stays the worker's: what it changes there shows here. */
  add(uid: string, pod: PodInWork): void {
    this.#pods.set(uid, pod);
  }

  remove(uid: string): void {
    this.#pods.delete(uid);
  }

  has(uid: string): boolean {
    return this.#pods.has(uid);
  }

  /** Whether the pod has been brought to its end: what it asked for is free again. */
  isTerminated(uid: string): boolean {
    return this.#pods.get(uid)?.phase === "terminated";
  }

  /** Whether a pod that was killed takes nothing any more; while the API does not know of it, its ended containers are kept. */
  isCleanedUp(uid: string): boolean {
    const pod = this.#pods.get(uid);
    return pod === undefined || (pod.phase === "terminated" && !mustBeCleared(pod));
  }

  /** Those that may run something. */
  activePods(): BoundPod[] {
    return [...this.#pods.values()].flatMap(({ pod, phase }) =>
      pod && phase !== "terminated" && !isTerminalPhase(pod.status?.phase) ? [pod] : [],
    );
  }
}

/** Not before the API says that the pod was evicted: until then its containers are what that is known by (HandlePodReconcile). */
export function mustBeCleared({ phase, pod, isCleared }: PodInWork): boolean {
  return phase === "terminated" && !isCleared && pod !== undefined && wasEvicted(pod);
}
