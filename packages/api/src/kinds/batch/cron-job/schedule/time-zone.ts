/** A clock that people in some region read. */
export interface TimeZone {
  /** Returns by how much the clock of the zone is ahead of UTC at an instant. */
  offsetMs(instantMs: number): number;
}

export const utc: TimeZone = { offsetMs: () => 0 };

/** Abbreviations that ICU knows and the IANA's database does not. */
const notIana = new Set(
  "ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST".split(" "),
);

/**
 * Returns a zone of the IANA's database, whose names are case-sensitive upstream; undefined for any
 * other name.
 */
export function findTimeZone(name: string): TimeZone | undefined {
  if (name === "UTC") return utc;
  if (name.startsWith("+") || name.startsWith("SystemV/") || notIana.has(name)) return undefined;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    return undefined;
  }
  const { timeZone: known } = format.resolvedOptions();
  // Another name of a zone is resolved to the first one, and then its spelling cannot be compared.
  if (known !== name && (known.toLowerCase() === name.toLowerCase() || name === name.toLowerCase())) return undefined;
  return { offsetMs: (instantMs) => offsetOf(format, instantMs) };
}

function offsetOf(format: Intl.DateTimeFormat, instantMs: number): number {
  const wholeMs = Math.floor(instantMs / 1000) * 1000;
  const parts = new Map(format.formatToParts(wholeMs).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const wallMs = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  return wallMs - wholeMs;
}
