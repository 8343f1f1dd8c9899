import { forgetOldest } from "@kintsugi/clock";

/**
 * A node has at most some hundreds of containers. A cause is needed only until the resulting end is
 * written.
 */
const causesMax = 1000;

/**
 * Stores the reason why this kubelet killed a container, by its id, because the runtime only stores
 * how it ended.
 */
export class KillCauses {
  readonly #byId = new Map<string, string>();

  /** The first cause is kept, because later causes only describe how the kill continued. */
  add(containerId: string, because: string): void {
    if (this.#byId.has(containerId)) return;
    this.#byId.set(containerId, because);
    forgetOldest(this.#byId, causesMax);
  }

  find(containerId: string): string | undefined {
    return this.#byId.get(containerId);
  }
}
