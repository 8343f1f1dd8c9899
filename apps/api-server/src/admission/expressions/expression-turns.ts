import { type Clock, turnOrAbort } from "@kintsugi/clock";
import { ExpressionBudget, HeldExpressions, isCompiled, oneTurnCharactersMax } from "@kintsugi/cel";
import { UserLane } from "./user-lane.ts";

/** Other requests have their turn when this much of the processor may have been used. */
const turnMs = 20;

interface Requester {
  readonly user: string;
  readonly signal: AbortSignal;
}

/**
 * Compiles expressions in several turns of the event loop. One object's are compiled at a time,
 * and users take turns, so that memory is bounded by the expressions of one object.
 */
export class ExpressionTurns {
  readonly #clock: Pick<Clock, "nextTurn" | "monotonicMs">;
  readonly #lane = new UserLane();

  constructor(deps: { clock: Pick<Clock, "nextTurn" | "monotonicMs"> }) {
    this.#clock = deps.clock;
  }

  /**
   * Compiles the expressions of an object, and keeps them until the caller disposes of the result,
   * soon after. Expressions beyond the object's budget are rejected without being compiled.
   * @throws the signal's reason.
   */
  async hold(texts: readonly string[], requester: Requester): Promise<Disposable> {
    const budget = new ExpressionBudget();
    const covered = texts.filter((text) => budget.covers(text));
    const held = new HeldExpressions();
    const cold = new Set(covered.filter((text) => !isCompiled(text)));
    // Small objects need not wait for a large one of another user.
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

  /** Does work that others wait for too; it need not be done twice. @throws the signal's reason. */
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
