import type { ApiObject } from "@kintsugi/api";
import type { Informer, InformerOptions } from "@kintsugi/client";
import type { Incarnation } from "../process/incarnation.ts";

/** A cache with which a process follows the server. */
export interface Copy {
  /** The service, or the node. */
  readonly owner: string;
  readonly informer: Pick<Informer<ApiObject>, "type" | "list" | "onChange">;
  readonly options: Pick<InformerOptions<ApiObject>, "namespace" | "nodeName" | "name" | "labelSelector" | "keeps">;
}

/** All present caches of all processes that are being updated. */
export class Copies {
  readonly #copies = new Set<Copy>();

  /**
   * Adds a cache until the subscription or the process ends; a process may add a cache when it is
   * already dead.
   */
  add(copy: Copy, ends: { signal: AbortSignal; incarnation: Incarnation }): void {
    if (ends.signal.aborted || ends.incarnation.ended) return;
    this.#copies.add(copy);
    const remove = () => void this.#copies.delete(copy);
    ends.signal.addEventListener("abort", remove, { once: true });
    ends.incarnation.onEnd(remove);
  }

  all(): Iterable<Copy> {
    return this.#copies;
  }
}
