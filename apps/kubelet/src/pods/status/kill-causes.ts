import { forgetOldest } from "@kintsugi/clock";

/**
 * A node has at most some hundreds of containers; a cause is needed only until the end it led to is
 * written.
 */
const causesMax = 1000;

/**
 * Keeps the reason why this kubelet killed a container, by its id: the runtime knows only how it
 * ended.
 */
export class KillCauses {
  readonly #byId = new Map<string, string>();

  /** The first cause stays: later ones only describe how the killing continued. */
  add(containerId: string, because: string): void {
    if (this.#byId.has(containerId)) return;
    this.#byId.set(containerId, because);
    forgetOldest(this.#byId, causesMax);
  }

  find(containerId: string): string | undefined {
    return this.#byId.get(containerId);
  }
}
