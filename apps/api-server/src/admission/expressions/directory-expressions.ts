import type { ExpressionPreparation } from "@kintsugi/api";
import { oneTurnCharactersMax } from "@kintsugi/cel";
import { CompiledExpression } from "./compiled-expression.ts";

export type FindExpression = (text: string) => CompiledExpression;

/**
 * The expressions of all objects of a directory. After a change all objects are read again, but
 * unchanged expressions are not compiled again.
 */
export class DirectoryExpressions {
  #known = new Map<string, CompiledExpression>();
  #uncompiled: readonly CompiledExpression[] = [];

  /** Reads the objects, and removes the expressions that no object contains any longer. */
  reread<T>(read: (find: FindExpression) => T): T {
    const next = new Map<string, CompiledExpression>();
    const result = read((text) => {
      const found = next.get(text) ?? this.#known.get(text) ?? new CompiledExpression(text);
      next.set(text, found);
      return found;
    });
    this.#known = next;
    this.#uncompiled = [...next.values()].filter(({ isCompiled }) => !isCompiled);
    return result;
  }

  /** Compiles the expressions that would take too long in one turn. `refresh` reads the changes. */
  preparation(refresh: () => void): ExpressionPreparation {
    return {
      isDone: () => {
        refresh();
        return this.#uncompiled.reduce((sum, { text }) => sum + text.length, 0) <= oneTurnCharactersMax;
      },
      steps: () => this.#steps(),
    };
  }

  *#steps(): Generator<void> {
    for (const expression of this.#uncompiled) {
      if (expression.isCompiled) continue;
      expression.compile();
      yield;
    }
    this.#uncompiled = this.#uncompiled.filter(({ isCompiled }) => !isCompiled);
  }
}
