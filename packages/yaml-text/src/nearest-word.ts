/** The known word that was probably meant; undefined when all known words differ too much. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const asked = word.toLowerCase();
  const begun = known.filter((candidate) => candidate.startsWith(asked));
  if (begun.length === 1 && asked.length >= begunMin) return begun[0];
  let nearest: { word: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = distanceBetween(asked, candidate.toLowerCase());
    if (nearest === undefined || distance < nearest.distance) nearest = { word: candidate, distance };
  }
  if (nearest === undefined) return undefined;
  const near = Math.max(2, Math.ceil(Math.max(asked.length, nearest.word.length) * nearShareMax));
  return nearest.distance <= near ? nearest.word : undefined;
}

/** Returns the suggestion after an unknown word. */
export function suggest(word: string, known: readonly string[]): string {
  const nearest = nearestWord(word, known);
  if (nearest !== undefined) return `did you mean "${nearest}"?`;
  if (known.length === 0) return "there is none";
  return known.length <= listedMax
    ? `known are ${known.join(", ")}`
    : `known are ${known.slice(0, listedMax).join(", ")}, …`;
}

/** Words that differ in more letters are unrelated. */
const nearShareMax = 0.45;
/** A prefix with fewer letters matches too many words. */
const begunMin = 3;
const listedMax = 12;

/** The number of letters to insert, to omit, to replace, or to swap with their neighbor. */
function distanceBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (beforeLast[j - 2] ?? Infinity) + 1);
      row.push(cost);
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
