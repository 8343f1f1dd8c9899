/**
 * Compares two strings by their UTF-16 code units. For ASCII text the order is that of Go's
 * strings, which are compared by their bytes.
 */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
