import { type Clock, turnOrAbort } from "@kintsugi/clock";
import { ExpressionBudget, HeldExpressions, isCompiled, oneTurnCharactersMax } from "@kintsugi/cel";
import { UserLane } from "./user-lane.ts";

/** Processor time after which the event loop serves other requests. */
const turnMs = 20;

interface Requester {
  readonly user: string;
  readonly signal: AbortSignal;
}

/**
 * Compiles expressions in several turns of the event loop. The expressions of one object are
 * compiled at a time, and users take turns, so memory is bounded by the expressions of one object.
 */
export class ExpressionTurns {
  readonly #clock: Pick<Clock, "nextTurn" | "monotonicMs">;
  readonly #lane = new UserLane();

  constructor(deps: { clock: Pick<Clock, "nextTurn" | "monotonicMs"> }) {
    this.#clock = deps.clock;
  }

  /**
   * Compiles the expressions of an object, and retains them until the caller disposes of the
   * result, soon after. Expressions beyond the object's budget are rejected without being compiled.
   * @throws the signal's reason.
   */
  async hold(texts: readonly string[], requester: Requester): Promise<Disposable> {
    const budget = new ExpressionBudget();
    const covered = texts.filter((text) => budget.covers(text));
    const held = new HeldExpressions();
    const cold = new Set(covered.filter((text) => !isCompiled(text)));
    // Small objects do not wait for another user's large object.
    if (charactersOf(cold) <= oneTurnCharactersMax) {
      for (const text of covered) held.add(text);
      return held;
    }
    const lane = await this.#lane.enter(requester.user, requester.signal);
    const both = {
      [Symbol.dispose]: () => {
        held[Symbol.dispose]();
        lane[Symbol.dispose]();
      },
    };
    try {
      await this.#inTurns(held.steps(covered), requester.signal);
      return both;
    } catch (error) {
      both[Symbol.dispose]();
      throw error;
    }
  }

  /**
   * Does work that other callers also wait for, so that it is done only once. @throws the signal's
   * reason.
   */
  async run(steps: Iterable<void>, requester: Requester): Promise<void> {
    using _lane = await this.#lane.enter(requester.user, requester.signal);
    await this.#inTurns(steps, requester.signal);
  }

  async #inTurns(steps: Iterable<void>, signal: AbortSignal): Promise<void> {
    let startedMs = this.#clock.monotonicMs();
    for (const _ of steps) {
      if (this.#clock.monotonicMs() - startedMs < turnMs) continue;
      await turnOrAbort(this.#clock, signal);
      signal.throwIfAborted();
      startedMs = this.#clock.monotonicMs();
    }
  }
}

function charactersOf(texts: Iterable<string>): number {
  let characters = 0;
  for (const { length } of texts) characters += length;
  return characters;
}
