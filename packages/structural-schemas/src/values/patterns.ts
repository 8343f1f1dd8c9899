import { RE2JS, RE2JSException } from "re2js";

/**
 * Regular expressions of objects in the cluster. They are RE2's, as upstream's: the time to match
 * is linear in the text, so no pattern stops the server.
 */
export interface Pattern {
  /** Reports whether the pattern matches anywhere in the text. */
  test(text: string): boolean;
}

/**
 * RE2 writes repetitions out, so a short pattern may need a large program. Upstream allows 1,000
 * repetitions; a longer pattern than this is no pattern for a field.
 */
const patternLengthMax = 4096;

/** Compiled patterns are kept while they are used; more than these are compiled again. */
const patternsMax = 1000;
const known = new Map<string, Pattern>();

/** @throws Error with RE2's explanation when the text is no pattern. */
export function compilePattern(text: string): Pattern {
  const found = known.get(text);
  if (found !== undefined) return found;
  if (text.length > patternLengthMax) throw new Error(`pattern is longer than ${patternLengthMax} characters`);
  const compiled = RE2JS.compile(text);
  const pattern = { test: (value: string) => compiled.test(value) };
  if (known.size >= patternsMax) known.clear();
  known.set(text, pattern);
  return pattern;
}

/** Explains why a text is no pattern; undefined for a pattern. */
export function explainPattern(text: string): string | undefined {
  try {
    compilePattern(text);
    return undefined;
  } catch (error) {
    if (error instanceof RE2JSException || error instanceof Error) return error.message;
    throw error;
  }
}
