import { parseTimestamp } from "./timestamp.ts";

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/**
 * Milliseconds since 1970 of "Sun, 22 Nov 2026 01:00:00 GMT", a response's Date header; undefined
 * for any other text.
 */
export function parseHttpDate(text: string): number | undefined {
  const [, day, name = "", year, time] =
    /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}:\d{2}:\d{2}) GMT$/.exec(text) ?? [];
  const month = months.indexOf(name) + 1;
  return month === 0 ? undefined : parseTimestamp(`${year}-${String(month).padStart(2, "0")}-${day}T${time}Z`);
}
