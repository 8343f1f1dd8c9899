/**
 * Returns the line with a suggestion as its last word. After a flag without its value, no space is
 * added.
 */
export function acceptWord(line: string, word: string): string {
  const start = /\S*$/.exec(line)?.index ?? line.length;
  return `${line.slice(0, start)}${word}${/[=/]$/.test(word) ? "" : " "}`;
}

/** The longest common prefix of all words. */
export function sharedBeginning(words: readonly string[]): string {
  const [first = "", ...others] = words;
  let length = first.length;
  for (const word of others) while (!word.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length);
}

/** The last word of a line, which a suggestion completes. */
export function lastWord(line: string): string {
  return /\S*$/.exec(line)?.[0] ?? "";
}
