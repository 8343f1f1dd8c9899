/** Formats of scalar strings and numbers, each with its canonical form. */

export function isInt32(value: number): boolean {
  return Number.isInteger(value) && value >= -2147483648 && value <= 2147483647;
}

export function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

/**
 * Standard base64; line breaks are skipped, as by Go's decoder. `undefined` for an invalid text.
 */
export function canonicalBase64(value: string): string | undefined {
  const compact = /[\r\n]/.test(value) ? value.replaceAll(/[\r\n]/g, "") : value;
  return compact.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(compact) ? compact : undefined;
}
