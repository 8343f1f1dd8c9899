const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** "1m30s" → 90000. @throws Error for anything else than numbers with the units ms, s, m, h; "0" needs no unit. */
export function parseDurationMs(text: string): number {
  if (text === "0") return 0;
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) {
    throw new Error(`"${text}" is not a duration; write for example 300ms, 40s, 1m30s or 1h.`);
  }
  let total = 0;
  for (const [, amount, , unit] of text.matchAll(/(\d+(\.\d+)?)(ms|s|m|h)/g))
    total += Number(amount) * (unitMs[unit ?? ""] ?? 0);
  return total;
}
