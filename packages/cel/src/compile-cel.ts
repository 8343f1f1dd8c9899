import { type CelExpression, compileSteps, compileText } from "./expression.ts";

/**
 * Compiled expressions are kept while they are used: a definition repeats its rules in each
 * version, and is checked before it is served. A character takes about 300 bytes.
 */
const keptCharactersMax = 64 * 1024;
const kept = new Map<string, CelExpression>();
let keptCharacters = 0;

/** The result of compiling a string, kept while it has holders. */
interface HeldText {
  readonly outcome: CelExpression | Error;
  holders: number;
}

const held = new Map<string, HeldText>();

/** @throws Error with the parser's explanation when the text is not an expression. */
export function compileCel(text: string): CelExpression {
  const outcome = held.get(text)?.outcome;
  if (outcome instanceof Error) throw outcome;
  // A held text does not count toward the cache's limit.
  if (outcome !== undefined) return outcome;
  const found = kept.get(text);
  const expression = found ?? compileText(text);
  // The order of the map is the order of last use.
  if (found !== undefined) kept.delete(text);
  else keptCharacters += text.length;
  kept.set(text, expression);
  for (const oldest of kept.keys()) {
    if (keptCharacters <= keptCharactersMax) break;
    kept.delete(oldest);
    keptCharacters -= oldest.length;
  }
  return expression;
}

/** Reports whether `compileCel` has the expression in its cache. */
export function isCompiled(text: string): boolean {
  return held.has(text) || kept.has(text);
}

/**
 * Keeps the compiled expressions of one object until it is disposed, so that they can be compiled
 * in several turns of the event loop and are still compiled when the object is checked in one turn.
 */
export class HeldExpressions implements Disposable {
  readonly #texts = new Set<string>();

  /** Compiles texts, each in its own steps. */
  *steps(texts: Iterable<string>): Generator<void> {
    for (const text of texts) {
      if (this.#texts.has(text) || isCompiled(text)) this.add(text);
      else this.#put(text, yield* outcomeInSteps(text));
      yield;
    }
  }

  /** Compiles a string. The cache also records that a string is not an expression. */
  add(text: string): void {
    if (this.#texts.has(text)) return;
    this.#put(text, held.get(text)?.outcome ?? kept.get(text) ?? outcomeOf(text));
  }

  #put(text: string, outcome: CelExpression | Error): void {
    this.#texts.add(text);
    // Another holder may have compiled the expression between two steps.
    const found = held.get(text);
    if (found === undefined) held.set(text, { outcome, holders: 1 });
    else found.holders++;
  }

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  [Symbol.dispose](): void {
    for (const text of this.#texts) {
      const found = held.get(text);
      if (found !== undefined && --found.holders === 0) held.delete(text);
    }
    this.#texts.clear();
  }
}

function outcomeOf(text: string): CelExpression | Error {
  try {
    return compileText(text);
  } catch (error) {
    return error as Error;
  }
}

function* outcomeInSteps(text: string): Generator<void, CelExpression | Error> {
  try {
    return yield* compileSteps(text);
  } catch (error) {
    return error as Error;
  }
}
