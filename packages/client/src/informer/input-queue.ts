import { Waiter } from "@kintsugi/clock";
import type { FollowInput } from "./plan-informer-step.ts";

/** An input of the plan that waits to be handled, preceded by its effect on the copy. */
export interface WaitingInput {
  readonly input: FollowInput;
  readonly before?: () => void;
  /** The reading to which the input belongs. An input of a replaced reading is ignored. */
  readonly reading?: number;
}

/** Inputs in the order of their arrival. */
export class InputQueue {
  #waiting: WaitingInput[] = [];
  readonly #waiter = new Waiter();

  get length(): number {
    return this.#waiting.length;
  }

  push(waiting: WaitingInput): void {
    this.#waiting.push(waiting);
    this.#waiter.wake();
  }

  clear(): void {
    this.#waiting = [];
  }

  /** All waiting inputs; resolves with an empty list once the signal aborts. */
  async take(signal: AbortSignal): Promise<readonly WaitingInput[]> {
    while (this.#waiting.length === 0 && !signal.aborted) await this.#waiter.wait(signal);
    if (signal.aborted) return [];
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }
}
