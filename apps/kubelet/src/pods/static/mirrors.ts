import { isMirrorPod, type Pod } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";

/** The mirror pods of this node, as the API has them. */
export class Mirrors {
  readonly #pods: Pick<Informer<Pod>, "byIndex">;
  /** By their own uid, mirrors of lives that are over: a file that is put back has the same uid as before, and another end. */
  readonly #retired = new Set<string>();

  constructor(pods: Pick<Informer<Pod>, "byIndex">) {
    this.#pods = pods;
  }

  get retired(): ReadonlySet<string> {
    return this.#retired;
  }

  /** The mirror in the API of the static pod with this uid. */
  find(uid: string): Pod | undefined {
    return this.#pods.byIndex("uid", uid).find((pod) => isMirrorPod(pod) && !this.#retired.has(pod.metadata.uid ?? ""));
  }

  /** Nothing is left of the static pod with this uid: what its mirror says is about no pod that comes later. */
  retire(uid: string): void {
    const mirror = this.find(uid);
    if (mirror?.metadata.uid !== undefined) this.#retired.add(mirror.metadata.uid);
  }

  /** The mirror is gone from the API. */
  forget(mirror: Pod): void {
    this.#retired.delete(mirror.metadata.uid ?? "");
  }
}
