import type { Container, PodSandbox } from "@kintsugi/cri";
import { labelNames } from "../../model/labels.ts";

/**
 * Which sandboxes and containers of a pod there are: how they are, whoever wants to know reads of
 * each.
 */
export interface ListedPod {
  sandboxes: readonly Pick<PodSandbox, "id">[];
  containers: readonly Pick<Container, "id" | "sandboxId">[];
}

/**
 * What the runtime has when a kubelet starts, for those who take its pods over: with a list for
 * each of them, a runtime with 110 pods puts all together 220 times more. Only an event can say
 * that there is more by now, so this counts from the first listing under a stream of events that
 * stands, until an event is about something else, the stream breaks, or all is listed again.
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
   * What there is of a pod, to one who is about to act on it, and so once; undefined: that has to
   * be listed.
   */
  take(uid: string): ListedPod | undefined {
    if (!(this.#pods instanceof Map)) return undefined;
    const pod = this.#pods.get(uid);
    this.#pods.delete(uid);
    return pod;
  }
}
