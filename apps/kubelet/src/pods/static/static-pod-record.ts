import type { Pod } from "@kintsugi/api";
import { type BoundPod, isMirrorOf } from "../../model/bound-pod.ts";

/**
 * The node's own record of the static pods that it runs or is stopping. StaticPods keeps it; parts
 * that are made before, or that must not command static pods, read it. A pod of the API counts as a
 * mirror only of a pod that stands here, because the API has many writers. The record needs no
 * limit of its own: it has one pod for each full name in the manifests, and those that end.
 */
export class StaticPodRecord {
  readonly #pods = new Map<string, BoundPod>();

  /** The static pods that run, or are being stopped. */
  get begun(): readonly BoundPod[] {
    return [...this.#pods.values()];
  }

  find(uid: string): BoundPod | undefined {
    return this.#pods.get(uid);
  }

  /** The static pod that this object of the API is the mirror of. */
  findShownBy(mirror: Pod): BoundPod | undefined {
    return this.begun.find((pod) => isMirrorOf(mirror, pod));
  }

  add(pod: BoundPod): void {
    this.#pods.set(pod.metadata.uid, pod);
  }

  /** Returns false for a pod that is not in the record. */
  remove(uid: string): boolean {
    return this.#pods.delete(uid);
  }
}
