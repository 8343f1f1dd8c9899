import type { FlagTable } from "@kintsugi/daemon";

/** The words of a command line, separated by whether a program supports them. */
export interface SortedWords {
  known: string[];
  /** Names of unknown flags: "--audit-log-path", "-v". */
  others: string[];
}

/**
 * Sorts the words of a command line that was written for another program: a suite may set any flag
 * of upstream's, and most flags have no effect on a test.
 */
export function knownFlags(words: readonly string[], table: FlagTable): SortedWords {
  const sorted: SortedWords = { known: [], others: [] };
  let isKnown = true;
  for (const word of words) {
    const [, name] = /^(--?[^=]+)/.exec(word) ?? [];
    // A word without dashes is the value of the flag before it.
    if (name !== undefined) isKnown = ["--help", "-h"].includes(name) || Object.hasOwn(table, name.replace(/^--/, ""));
    if (isKnown) sorted.known.push(word);
    else if (name !== undefined) sorted.others.push(name);
  }
  return sorted;
}
