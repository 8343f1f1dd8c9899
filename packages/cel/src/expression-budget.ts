import { expressionLengthMax } from "./expression.ts";

/**
 * The expressions of one object have at most so many characters together. A character takes some 5
 * µs to compile and check, and no other request is answered in the meantime. The largest
 * definitions in use have a third of that.
 */
const charactersOfObjectMax = 32 * 1024;
/**
 * Expressions of so many characters together take some 40 ms to compile at most, and may be
 * compiled in one turn of the event loop. A claim or a policy of a person has a few hundred.
 */
export const oneTurnCharactersMax = 2 * 1024;
/** A text that was compiled before is only checked again, which takes a fifth of the time. */
const shareOfRepetition = 0.2;

/** Counts the characters of the expressions of one object. */
export class ExpressionBudget {
  readonly #counted = new Set<string>();
  #left = charactersOfObjectMax;

  /**
   * Reports whether the expression is compiled: it is not too long, and neither are all together.
   */
  covers(text: string): boolean {
    return text.length <= expressionLengthMax && this.explain(text) === undefined;
  }

  /** Reports whether the expression may be compiled too; explains why not. */
  explain(text: string): string | undefined {
    // A text that is too long by itself is refused as such, and is never compiled.
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
