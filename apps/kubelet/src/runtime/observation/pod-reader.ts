import type { ContainerRuntime } from "@kintsugi/cri";
import type { Files } from "../../machine/files/files.ts";
import type { BoundPod } from "../../model/bound-pod.ts";
import type { ObservedPod } from "../../model/observed-pod.ts";
import type { PodEvents } from "../../model/pod-events.ts";
import type { PodIdentity } from "./container-events.ts";
import type { KernelOomWatcher } from "./kernel-oom-watcher.ts";
import type { Pleg } from "./pleg.ts";
import { observeListed, observePod } from "./pod-observer.ts";
import { withTerminationMessages } from "./termination-messages.ts";
import { withOomKills } from "./with-oom-kills.ts";

export interface PodReaderDeps {
  runtime: ContainerRuntime;
  events: PodEvents;
  files: Files;
  pleg: Pick<Pleg, "takeListed" | "findEnded">;
  /**
   * Records a pod as it was read, and adds the ends that the runtime has announced and does not
   * list yet.
   */
  noteObserved(read: ObservedPod): ObservedPod;
  /** Undefined where the kernel's log is not read. */
  kernelOom: Pick<KernelOomWatcher, "hasKilledIn"> | undefined;
}

/** Reads a pod from the runtime, with the facts that the runtime itself does not store. */
export class PodReader {
  readonly #deps: PodReaderDeps;

  constructor(deps: PodReaderDeps) {
    this.#deps = deps;
  }

  /** Reads a pod of the API. An error is reported in an event. */
  async read(pod: BoundPod, signal: AbortSignal): Promise<ObservedPod> {
    const { uid, name, namespace } = pod.metadata;
    const { runtime, pleg, events } = this.#deps;
    const identity = { uid, name, namespace };
    try {
      const listed = pleg.takeListed(uid);
      const read = await (listed
        ? observeListed(runtime, { pod: identity, listed }, signal)
        : observePod(runtime, identity, signal));
      return this.#withOtherFacts(pod, this.#deps.noteObserved(read));
    } catch (error) {
      if (!signal.aborted) events.warning(pod, "FailedSync", `error determining status: ${(error as Error).message}`);
      throw error;
    }
  }

  /** Reads a pod by its identity alone. */
  readBare(pod: PodIdentity, signal: AbortSignal): Promise<ObservedPod> {
    return observePod(this.#deps.runtime, pod, signal);
  }

  /** Records a pod as it was read after its removal from the runtime. */
  noteRemoved(read: ObservedPod): void {
    this.#deps.noteObserved(read);
  }

  /**
   * Returns the pod with the ends that the runtime has announced since `last`, if there are any.
   */
  findEnded(pod: BoundPod, last: ObservedPod): ObservedPod | undefined {
    const ended = this.#deps.pleg.findEnded(last);
    return ended && this.#withOtherFacts(pod, ended);
  }

  #withOtherFacts({ spec }: BoundPod, read: ObservedPod): ObservedPod {
    const observed = withOomKills(read, (id) => this.#deps.kernelOom?.hasKilledIn(id) ?? false);
    const { containers, initContainers = [], ephemeralContainers = [] } = spec;
    const containerCount = containers.length + initContainers.length + ephemeralContainers.length;
    return withTerminationMessages(observed, this.#deps.files, containerCount);
  }
}
