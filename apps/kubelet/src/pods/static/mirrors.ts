import type { Pod } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import { isMirrorOf } from "../../model/bound-pod.ts";
import type { StaticPodRecord } from "./static-pod-record.ts";

/** The mirror pods of this node in the API. */
export class Mirrors {
  readonly #pods: Pick<Informer<Pod>, "find">;
  readonly #record: Pick<StaticPodRecord, "find">;
  /**
   * Mirrors, by their own uid, of ended lives. A restored file has the same uid as before, but a
   * different end.
   */
  readonly #retired = new Set<string>();

  constructor(pods: Pick<Informer<Pod>, "find">, record: Pick<StaticPodRecord, "find">) {
    this.#pods = pods;
    this.#record = record;
  }

  get retired(): ReadonlySet<string> {
    return this.#retired;
  }

  /** The mirror in the API of the static pod with this uid. */
  find(uid: string): Pod | undefined {
    const pod = this.#record.find(uid);
    const mirror = pod && this.#pods.find(pod.metadata);
    return mirror && isMirrorOf(mirror, pod) && !this.#retired.has(mirror.metadata.uid ?? "") ? mirror : undefined;
  }

  /**
   * Records that the static pod with this uid has ended completely, so that its mirror does not
   * describe a later pod.
   */
  retire(uid: string): void {
    const mirror = this.find(uid);
    if (mirror?.metadata.uid !== undefined) this.#retired.add(mirror.metadata.uid);
  }

  /** Removes the record of a mirror that is no longer in the API. */
  forget(mirror: Pod): void {
    this.#retired.delete(mirror.metadata.uid ?? "");
  }
}
