import { expressionLengthMax } from "./expression.ts";

/**
 * The largest total number of characters of one object's expressions. A character takes about 5 µs
 * to compile and check, and the server does not answer other requests in the meantime. The largest
 * definitions in use have a third of this number.
 */
const charactersOfObjectMax = 32 * 1024;
/**
 * Expressions with this many characters together take at most about 40 ms to compile, and may be
 * compiled in one turn of the event loop. A claim or a policy that a person wrote has a few hundred
 * characters.
 */
export const oneTurnCharactersMax = 2 * 1024;
/**
 * An expression that was compiled before is only checked again, which takes a fifth of the time of
 * a compilation.
 */
const shareOfRepetition = 0.2;

/** Counts the characters of the expressions of one object. */
export class ExpressionBudget {
  readonly #counted = new Set<string>();
  #left = charactersOfObjectMax;

  /**
   * Reports whether the expression is compiled: neither the expression nor the total is too long.
   */
  covers(text: string): boolean {
    return text.length <= expressionLengthMax && this.explain(text) === undefined;
  }

  /** Returns undefined if the expression may be compiled as well, or explains why not. */
  explain(text: string): string | undefined {
    // An expression that is too long by itself is rejected as too long, and is never compiled.
    if (text.length > expressionLengthMax) return undefined;
    const characters = text.length * (this.#counted.has(text) ? shareOfRepetition : 1);
    if (characters > this.#left) {
      return `the expressions of the object are longer than ${charactersOfObjectMax} characters together`;
    }
    this.#left -= characters;
    this.#counted.add(text);
    return undefined;
  }
}
