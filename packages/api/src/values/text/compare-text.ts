/**
 * Compares two strings by their UTF-16 code units. For ASCII text the order is the same as in Go,
 * which compares strings by their bytes.
 */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
