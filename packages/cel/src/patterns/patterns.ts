import { RE2JS, RE2Set } from "re2js";
import { patternSize } from "./pattern-size.ts";

/**
 * Regular expressions of objects and expressions in the cluster. They are RE2's, as upstream's are:
 * the time to match is linear in the text, so a pattern never blocks a program.
 */
export interface Pattern {
  /** An upper bound of the instructions of the pattern's program. */
  readonly size: number;
  /** Reports whether the pattern matches anywhere in the text. */
  test(text: string): boolean;
  /**
   * Lists the matches, one by one. The search for each match takes at most a walk through the rest
   * of the text.
   */
  matches(text: string): Iterable<{ readonly text: string; readonly end: number }>;
}

/** A longer text is not accepted as the pattern of a field. */
const patternLengthMax = 4096;
/**
 * RE2 expands repetitions, and an instruction takes about 650 bytes and 2 µs here. A program of
 * this size takes 7 MB and 20 ms. Upstream allows 1,000 repetitions and 3 million instructions.
 */
export const patternSizeMax = 10_000;

/**
 * The bytes of an instruction. A pattern has a program to test strings and another program to find
 * matches.
 */
const instructionBytes = 2 * 650;
/**
 * The memory of the states that matching creates. Beyond it, states are discarded and created
 * again.
 */
const statesBytes = 64 * 1024;

/**
 * The limit on the bytes of all compiled patterns together. Patterns are kept while they are used.
 */
const keptBytesMax = 48 * 1024 * 1024;
const kept = new Map<string, Pattern>();
let keptBytes = 0;

function bytesOf({ size }: Pattern): number {
  return statesBytes + size * instructionBytes;
}

/** @throws Error when the text is too long for a pattern, or its program would be too large. */
export function checkPatternSize(text: string): number {
  if (text.length > patternLengthMax) throw new Error(`pattern is longer than ${patternLengthMax} characters`);
  const size = patternSize(text);
  if (size > patternSizeMax) {
    throw new Error(
      `pattern needs a program of ${size} instructions, more than ${patternSizeMax}: use fewer or smaller repetitions`,
    );
  }
  return size;
}

/** Reports whether the pattern is compiled, so that using it costs only the match. */
export function isPatternKept(text: string): boolean {
  return kept.has(text);
}

/**
 * @throws Error with RE2's explanation when the text is not a pattern, or is too large for a
 * pattern.
 */
export function compilePattern(text: string): Pattern {
  const found = kept.get(text);
  if (found !== undefined) {
    // The order of the map is the order of last use.
    kept.delete(text);
    kept.set(text, found);
    return found;
  }
  const pattern = made(text, checkPatternSize(text));
  kept.set(text, pattern);
  keptBytes += bytesOf(pattern);
  for (const [oldest, last] of kept) {
    if (keptBytes <= keptBytesMax) break;
    kept.delete(oldest);
    keptBytes -= bytesOf(last);
  }
  return pattern;
}

function made(text: string, size: number): Pattern {
  const set = new RE2Set(RE2Set.UNANCHORED, 0, statesBytes);
  set.add(text);
  set.compile();
  let finder: RE2JS | undefined;
  return {
    size,
    test: (value) => set.match(value).length > 0,
    *matches(value) {
      finder ??= RE2JS.compile(text);
      const matcher = finder.matcher(value);
      while (matcher.find()) yield { text: matcher.group() ?? "", end: matcher.end() };
    },
  };
}

/** The memory of all cached patterns. */
export function keptPatternBytes(): number {
  return keptBytes;
}
