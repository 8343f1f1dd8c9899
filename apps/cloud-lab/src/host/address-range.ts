import { isIPv4 } from "node:net";

/** Limit of the addresses of one cloud, because a lab has few load balancers. */
const addressesMax = 64;

/**
 * Lists the addresses of a range such as "10.64.0.220-10.64.0.249".
 * @throws RangeError that names the fault.
 */
export function addressesIn(range: string): string[] {
  const [first = "", last = ""] = range.split("-");
  if (!isIPv4(first) || !isIPv4(last))
    throw new RangeError(`${JSON.stringify(range)} is not an address range, such as 10.64.0.220-10.64.0.249`);
  const [start, end] = [numberOf(first), numberOf(last)];
  if (end < start || end - start >= addressesMax)
    throw new RangeError(`${range} has to have 1 to ${addressesMax} addresses, the lowest first`);
  return Array.from({ length: end - start + 1 }, (_, index) => textOf(start + index));
}

function numberOf(address: string): number {
  return address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

function textOf(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
}
