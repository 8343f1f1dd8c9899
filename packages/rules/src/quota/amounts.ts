import { type ExactQuantity, formatQuantity, parseQuantity } from "@kintsugi/api";

/** Amounts by the name of the resource, exactly. */
export type Amounts = ReadonlyMap<string, ExactQuantity>;

export const one: ExactQuantity = { nanos: 1_000_000_000n, format: "DecimalSI" };
/** A whole number as an amount of a resource. */
export function wholeQuantity(count: number): ExactQuantity {
  return { nanos: BigInt(count) * one.nanos, format: "DecimalSI" };
}

export const zero: ExactQuantity = { nanos: 0n, format: "DecimalSI" };

export function parseAmounts(quantities: Readonly<Record<string, string>> | undefined): Amounts {
  return new Map(Object.entries(quantities ?? {}).map(([name, text]) => [name, parseQuantity(text)]));
}

/** Adds `more` to `into` multiplied by `times`, which is 1 or -1. */
export function addTo(into: Map<string, ExactQuantity>, more: Amounts, times: 1n | -1n): void {
  for (const [name, { nanos, format }] of more) {
    const known = into.get(name);
    const isFirst = known === undefined || known.nanos === 0n;
    into.set(name, { nanos: (known?.nanos ?? 0n) + nanos * times, format: isFirst ? format : known.format });
  }
}

/** The amounts of these names, in their order; missing amounts are omitted. */
export function pick(amounts: Amounts, names: Iterable<string>): Map<string, ExactQuantity> {
  const picked = new Map<string, ExactQuantity>();
  for (const name of names) {
    const amount = amounts.get(name);
    if (amount !== undefined) picked.set(name, amount);
  }
  return picked;
}

/** `cpu=1,pods=2`, in the order of the names, as in upstream's messages. */
export function describeAmounts(amounts: Amounts): string {
  return [...amounts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, amount]) => `${name}=${formatQuantity(amount)}`)
    .join(",");
}
