import type { KubeObject } from "../../resources/resource.ts";

/**
 * Upstream's webhookReinvokeContext: the webhooks or policies that are called in the second pass.
 */
export class ReinvocationState {
  /** The object that the step returned. */
  output: KubeObject | undefined;
  #invoked = new Set<string>();
  readonly #reinvoked = new Set<string>();

  addInvoked(id: string): void {
    this.#invoked.add(id);
  }

  /** Records that the object has changed since the earlier calls. */
  requireReinvocation(): void {
    for (const id of this.#invoked) this.#reinvoked.add(id);
    this.#invoked = new Set();
  }

  takes(id: string): boolean {
    return this.#reinvoked.has(id);
  }
}
