import type { Pod } from "@kintsugi/api";
import { type BoundPod, isMirrorOf } from "../../model/bound-pod.ts";

/**
 * The node's own record of the static pods that it runs or stops. StaticPods maintains it. Parts
 * that are made earlier, or that must not control static pods, read it. A pod of the API counts as
 * a mirror only of a pod in this record, because the API has many writers. The record does not need
 * a limit of its own, because it has one pod for each full name in the manifests, and the pods that
 * are ending.
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

  /** The static pod of which this API object is the mirror. */
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
