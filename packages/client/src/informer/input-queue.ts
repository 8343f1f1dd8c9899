import type { FollowInput } from "./plan-informer-step.ts";

/** What waits to be handled: an input of the plan, preceded by what it does to the copy. */
export interface WaitingInput {
  readonly input: FollowInput;
  readonly before?: () => void;
  /** The reading it comes from; once that was replaced, the input says nothing any more. */
  readonly reading?: number;
}

/** Inputs in the order in which they came. */
export class InputQueue {
  #waiting: WaitingInput[] = [];
  #wake: (() => void) | undefined;

  get length(): number {
    return this.#waiting.length;
  }

  push(waiting: WaitingInput): void {
    this.#waiting.push(waiting);
    this.#wake?.();
  }

  clear(): void {
    this.#waiting = [];
  }

  /** All that waits; resolves with nothing once the signal aborts. */
  async take(signal: AbortSignal): Promise<readonly WaitingInput[]> {
    const wake = () => this.#wake?.();
    signal.addEventListener("abort", wake, { once: true });
    while (this.#waiting.length === 0 && !signal.aborted) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
    signal.removeEventListener("abort", wake);
    if (signal.aborted) return [];
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }
}
