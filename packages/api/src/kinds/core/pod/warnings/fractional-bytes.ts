import { canonicalQuantity, isQuantity, parseQuantity } from "../../../../values/quantity.ts";

const nanosPerUnit = 1_000_000_000n;
const nanosPerMilli = 1_000_000n;

/**
 * Returns upstream's warning about each of the named amounts that is not a whole number of bytes.
 */
export function fractionalBytesWarnings(
  amounts: Readonly<Record<string, string>> | undefined,
  names: readonly string[],
  path: string,
): string[] {
  if (amounts === undefined) return [];
  return names.flatMap((name) => {
    const amount = amounts[name];
    if (amount === undefined || !isFractional(amount)) return [];
    const text = JSON.stringify(canonicalQuantity(amount));
    return [`${path}[${name}]: fractional byte value ${text} is invalid, must be an integer`];
  });
}

/** Rounds up to thousandths before the comparison, as upstream's MilliValue does. */
function isFractional(amount: string): boolean {
  if (!isQuantity(amount)) return false;
  const { nanos } = parseQuantity(amount);
  const millis = nanos / nanosPerMilli + (nanos % nanosPerMilli > 0n ? 1n : 0n);
  return (millis * nanosPerMilli) % nanosPerUnit !== 0n;
}
