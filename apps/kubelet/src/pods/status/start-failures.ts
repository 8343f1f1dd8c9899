import type { Pod } from "@kintsugi/api";
import { containerStatusesOf } from "../../model/bound-pod.ts";
import type { StartFailure } from "../../model/start-failure.ts";

const ordinaryWaiting = new Set(["ContainerCreating", "PodInitializing", "", undefined]);

/** The last failed start of each container, removed when it starts. */
export class StartFailures {
  readonly #byPod = new Map<string, Map<string, StartFailure>>();

  /**
   * A pod that is new to this kubelet keeps the API's failures, so that a restart of the kubelet
   * does not change the status.
   */
  adopt(uid: string, pod: Pod): void {
    if (this.#byPod.has(uid)) return;
    const kept = new Map<string, StartFailure>();
    for (const { name, state } of containerStatusesOf(pod)) {
      const { reason, message } = state?.waiting ?? {};
      if (reason !== undefined && !ordinaryWaiting.has(reason)) kept.set(name, { reason, message: message ?? "" });
    }
    this.#byPod.set(uid, kept);
  }

  find(uid: string, containerName: string): StartFailure | undefined {
    return this.#byPod.get(uid)?.get(containerName);
  }

  set(uid: string, containerName: string, failure: StartFailure): void {
    const ofPod = this.#byPod.get(uid) ?? new Map<string, StartFailure>();
    this.#byPod.set(uid, ofPod.set(containerName, failure));
  }

  clear(uid: string, containerName: string): void {
    this.#byPod.get(uid)?.delete(containerName);
  }

  forget(uid: string): void {
    this.#byPod.delete(uid);
  }
}
