/**
 * Instants in the API's format. All functions convert a given instant; they never read the clock.
 */

/** The last second whose year has four digits, as RFC 3339 requires: in the year 9999. */
const lastSecondMs = Date.UTC(9999, 11, 31, 23, 59, 59);

/**
 * RFC 3339 in UTC to the second: `2026-01-02T03:04:05Z`. A sum with a long duration that a client
 * chose may be after the year 9999; it is written as the last second of that year.
 */
export function formatTimestamp(wallMs: number): string {
  const secondMs = Math.min(Math.floor(wallMs / 1000) * 1000, lastSecondMs);
  return `${new Date(secondMs).toISOString().slice(0, 19)}Z`;
}

/**
 * RFC 3339 in UTC to the microsecond: `2026-01-02T03:04:05.678000Z`. Fractions of a millisecond
 * count.
 */
export function formatMicroTime(wallMs: number): string {
  const micros = Math.floor(wallMs * 1000);
  const seconds = Math.floor(micros / 1_000_000);
  const fraction = String(micros - seconds * 1_000_000).padStart(6, "0");
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${fraction}Z`;
}

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9})\d*)?(?:Z|([+-])(\d{2}):(\d{2}))$/;

/**
 * The instant in milliseconds since 1970, with a fraction if the text is finer.
 * @throws RangeError if the text is not RFC 3339.
 */
export function parseTimestamp(text: string): number {
  const instant = findInstant(text);
  if (instant === undefined)
    throw new RangeError(`parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05Z07:00"`);
  return instant;
}

export function isTimestamp(text: string): boolean {
  return findInstant(text) !== undefined;
}

/**
 * Returns the instant in the format of `formatTimestamp`; `undefined` if the text is not RFC 3339.
 */
export function canonicalTimestamp(text: string): string | undefined {
  const instant = findInstant(text);
  if (instant === undefined) return undefined;
  return text.length === secondsLength ? text : formatTimestamp(instant);
}

/**
 * Returns the instant in the format of `formatMicroTime`; `undefined` if the text is not RFC 3339.
 */
export function canonicalMicroTime(text: string): string | undefined {
  if (text.length === microsLength && findCanonicalInstant(text) !== undefined) return text;
  const match = rfc3339.exec(text);
  const instant = findInstant(text);
  if (match === null || instant === undefined) return undefined;
  // The digits are taken from the text because they would not be exact as a fraction of
  // milliseconds.
  const fraction = (match[7] ?? "").padEnd(6, "0").slice(0, 6);
  return `${new Date(Math.floor(instant / 1000) * 1000).toISOString().slice(0, 19)}.${fraction}Z`;
}

function findInstant(text: string): number | undefined {
  return findCanonicalInstant(text) ?? findAnyInstant(text);
}

// Positions of the parts in the two forms that are written here, and are therefore the most
// frequent.
//   2026-01-02T03:04:05Z            2026-01-02T03:04:05.678000Z
//   0    5  8  11 14 17 19          0    5  8  11 14 17 19 20     26
const secondsLength = 20;
const microsLength = 27;

function findCanonicalInstant(text: string): number | undefined {
  const { length } = text;
  if (length !== secondsLength && length !== microsLength) return undefined;
  const separated =
    text[4] === "-" &&
    text[7] === "-" &&
    text[10] === "T" &&
    text[13] === ":" &&
    text[16] === ":" &&
    text.endsWith("Z");
  if (!separated || (length === microsLength && text[19] !== ".")) return undefined;
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10)];
  const [hour, minute, second] = [digits(text, 11, 13), digits(text, 14, 16), digits(text, 17, 19)];
  const micros = length === microsLength ? digits(text, 20, 26) : 0;
  // A part that is not a number makes each comparison false. Years below 100 are left to the slower
  // parser, because Date.UTC counts them from 1900.
  const inRange = year >= 100 && month >= 1 && month <= 12 && day >= 1 && hour <= 23 && minute <= 59 && second <= 59;
  if (!inRange || !(micros >= 0) || day > daysIn(year, month)) return undefined;
  return Date.UTC(year, month - 1, day, hour, minute, second) + micros / 1000;
}

/** The number that the digits from `start` to `end` form; NaN for other characters. */
function digits(text: string, start: number, end: number): number {
  let number = 0;
  for (let i = start; i < end; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}

function findAnyInstant(text: string): number | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const inRange = month >= 1 && month <= 12 && day >= 1 && hour <= 23 && minute <= 59 && second <= 59;
  if (!inRange || day > daysIn(year, month)) return undefined;
  const offset = offsetMs(match[8], match[9], match[10]);
  if (offset === undefined) return undefined;
  const wallMs = utcMs(year, month) + ((((day - 1) * 24 + hour) * 60 + minute) * 60 + second) * 1000 - offset;
  return wallMs + Number(`0.${match[7] ?? "0"}`) * 1000;
}

/** `Date.UTC` reads years below 100 as 19xx, so the year is set separately. */
function utcMs(year: number, month: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, 1);
  return date.getTime();
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function offsetMs(
  sign: string | undefined,
  hours: string | undefined,
  minutes: string | undefined,
): number | undefined {
  if (sign === undefined) return 0;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
