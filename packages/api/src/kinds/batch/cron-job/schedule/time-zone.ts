/** The clock of a time zone. */
export interface TimeZone {
  /** Returns the zone's offset from UTC at an instant. */
  offsetMs(instantMs: number): number;
}

export const utc: TimeZone = { offsetMs: () => 0 };

/** Abbreviations in ICU that the IANA database lacks. */
const notIana = new Set(
  "ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST".split(" "),
);

/**
 * Returns a zone of the IANA database, whose names are case-sensitive upstream; undefined for any
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
  // An alias is resolved to the zone's primary name, so its spelling cannot be compared.
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
