import type { KubeObject } from "../../resources/resource.ts";

/** Upstream's webhookReinvokeContext: which webhooks or policies are called in the second pass. */
export class ReinvocationState {
  /** The object that the step left. */
  output: KubeObject | undefined;
  #invoked = new Set<string>();
  readonly #reinvoked = new Set<string>();

  addInvoked(id: string): void {
    this.#invoked.add(id);
  }

  /** The object has changed after all that were called so far. */
  requireReinvocation(): void {
    for (const id of this.#invoked) this.#reinvoked.add(id);
    this.#invoked = new Set();
  }

  takes(id: string): boolean {
    return this.#reinvoked.has(id);
  }
}
