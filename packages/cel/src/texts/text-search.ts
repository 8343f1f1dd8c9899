/**
 * The engine's own search skips by tables of at most 250 characters, so that the search for a
 * longer text, or a search from the end, may take as long as the product of both lengths.
 */
const nativeLengthMax = 250;

/**
 * The first place of one text in another at or after an index, or -1. The time is linear in both
 * strings.
 */
export function indexOfText(text: string, wanted: string, from = 0): number {
  if (wanted.length <= nativeLengthMax) return text.indexOf(wanted, from);
  if (wanted.length > text.length - from) return -1;
  return search(text, wanted, { from, isBackward: false });
}

/** The last place of one text in another that begins at or before an index, or -1. */
export function lastIndexOfText(text: string, wanted: string, from = text.length): number {
  const last = Math.min(from, text.length - wanted.length);
  if (last < 0) return -1;
  if (wanted.length <= 1) return text.lastIndexOf(wanted, last);
  return search(text, wanted, { from: last, isBackward: true });
}

/**
 * Each place of one text in another, without overlaps. Each place is charged, and their number is
 * limited.
 */
export function placesOf(text: string, wanted: string, { max, pay }: { max: number; pay: () => void }): number[] {
  const places: number[] = [];
  for (let from = 0; places.length < max;) {
    const place = indexOfText(text, wanted, from);
    if (place < 0) break;
    pay();
    places.push(place);
    from = place + wanted.length;
  }
  return places;
}

/**
 * Knuth, Morris and Pratt: after a mismatch, the search continues with the longest prefix of the
 * wanted text that ends there, so that a character is never inspected again.
 */
function search(text: string, wanted: string, way: { from: number; isBackward: boolean }): number {
  const { length } = wanted;
  const step = way.isBackward ? -1 : 1;
  const wantedAt = (index: number) => wanted.charCodeAt(way.isBackward ? length - 1 - index : index);
  const borders = new Int32Array(length);
  for (let index = 1, border = 0; index < length; index++) {
    while (border > 0 && wantedAt(index) !== wantedAt(border)) border = borders[border - 1] ?? 0;
    if (wantedAt(index) === wantedAt(border)) border++;
    borders[index] = border;
  }
  const first = way.isBackward ? way.from + length - 1 : way.from;
  for (let at = first, matched = 0; at >= 0 && at < text.length; at += step) {
    const code = text.charCodeAt(at);
    while (matched > 0 && code !== wantedAt(matched)) matched = borders[matched - 1] ?? 0;
    if (code === wantedAt(matched)) matched++;
    if (matched === length) return way.isBackward ? at : at - length + 1;
  }
  return -1;
}
