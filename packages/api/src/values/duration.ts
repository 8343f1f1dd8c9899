const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * "1m30s" → 90000. @throws Error for anything except numbers with the units ms, s, m, h; "0" does
 * not need a unit.
 */
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

/** The canonical form of a duration; undefined for an invalid text. */
export function canonicalDuration(text: string): string | undefined {
  try {
    return formatDuration(parseDurationMs(text));
  } catch {
    return undefined;
  }
}

/** 90000 → "1m30s". */
export function formatDuration(durationMs: number): string {
  if (durationMs === 0) return "0s";
  if (durationMs % 1000 !== 0) return `${durationMs}ms`;
  const seconds = durationMs / 1000;
  const parts = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  return ["h", "m", "s"].map((unit, i) => (parts[i] ? `${parts[i]}${unit}` : "")).join("");
}

/** A length of time for people, in whole seconds: "5 min 49 s". */
export function lengthInWords(lengthMs: number): string {
  const seconds = Math.round(lengthMs / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds} s`;
  return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
}
