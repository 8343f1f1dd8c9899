const msOfUnit: Readonly<Record<string, number>> = { ms: 1, "": 1000, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * "2", "1.5s", "300ms", "5m" in milliseconds; "infinity" never ends. Undefined for any other text.
 */
export function parseDurationMs(text: string): number | undefined {
  if (text === "infinity" || text === "inf") return Number.POSITIVE_INFINITY;
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  return match ? Number(match[1]) * (msOfUnit[match[2] ?? ""] ?? 0) : undefined;
}
