import type { Container, PodSandbox } from "@kintsugi/cri";
import { labelNames } from "../../model/labels.ts";

/** The ids of a pod's sandboxes and containers. Their states are read one by one. */
export interface ListedPod {
  sandboxes: readonly Pick<PodSandbox, "id">[];
  containers: readonly Pick<Container, "id" | "sandboxId">[];
}

/**
 * The runtime's lists when a kubelet starts, for the workers that adopt its pods. With one list per
 * worker, a runtime with 110 pods would assemble all of it 220 more times. Only an event can prove
 * that there is a change, so the lists are valid from the first listing under an open event stream
 * until an event concerns another pod, the stream breaks, or everything is listed again.
 */
export class FirstListing {
  #pods: Map<string, { sandboxes: PodSandbox[]; containers: Container[] }> | "to come" | "over" = "to come";

  listed(sandboxes: readonly PodSandbox[], containers: readonly Container[]): void {
    if (this.#pods !== "to come") return this.end();
    const pods = new Map<string, { sandboxes: PodSandbox[]; containers: Container[] }>();
    const podOf = ({ labels }: Pick<PodSandbox, "labels">) => {
      const uid = labels[labelNames.podUid] ?? "";
      const pod = pods.get(uid) ?? { sandboxes: [], containers: [] };
      pods.set(uid, pod);
      return pod;
    };
    for (const sandbox of sandboxes) podOf(sandbox).sandboxes.push(sandbox);
    for (const container of containers) podOf(container).containers.push(container);
    this.#pods = pods;
  }

  end(): void {
    this.#pods = "over";
  }

  /**
   * Returns a pod's entries once to a worker that is about to act on them; undefined: they have to
   * be listed.
   */
  take(uid: string): ListedPod | undefined {
    if (!(this.#pods instanceof Map)) return undefined;
    const pod = this.#pods.get(uid);
    this.#pods.delete(uid);
    return pod;
  }
}
