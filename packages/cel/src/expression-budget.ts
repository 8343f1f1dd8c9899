import { expressionLengthMax } from "./expression.ts";

/**
 * The expressions of one object have at most so many characters together, each text counted once. A
 * character takes some 5 µs to compile and check, and no other request is answered meanwhile. The
 * largest definitions in use have a fifth of that.
 */
export const charactersOfObjectMax = 48 * 1024;

/** Counts the characters of the expressions of one object. */
export class ExpressionBudget {
  readonly #counted = new Set<string>();
  #left = charactersOfObjectMax;

  /** Reports whether the expression may be compiled too; explains why not. */
  explain(text: string): string | undefined {
    // A text that is too long by itself is refused as such, and is never compiled.
    if (text.length > expressionLengthMax || this.#counted.has(text)) return undefined;
    if (text.length > this.#left) {
      return `the expressions of the object are longer than ${charactersOfObjectMax} characters together`;
    }
    this.#left -= text.length;
    this.#counted.add(text);
    return undefined;
  }
}
