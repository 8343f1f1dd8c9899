import { parseTimestamp } from "./timestamp.ts";

/**
 * Certificates begin five minutes before their creation, and the time of a response is in whole
 * seconds, so a smaller deviation is harmless.
 */
const skewMaxMs = 60_000;

/** The deviation of a clock from the API server's clock. */
export interface ClockSkew {
  /** Positive for a clock that is ahead. */
  readonly apartMs: number;
  /** True if the deviation is too large to continue. */
  readonly isFar: boolean;
  /** "75 s ahead of the API server's clock". */
  readonly words: string;
}

/**
 * Compares with the Date header of a response that has just been received; undefined if the header
 * is missing or invalid.
 */
export function clockSkew(serverDate: string | undefined, ownMs: number): ClockSkew | undefined {
  const serverMs = serverDate === undefined ? undefined : parseHttpDate(serverDate);
  if (serverMs === undefined) return undefined;
  const apartMs = ownMs - serverMs;
  const seconds = Math.round(Math.abs(apartMs) / 1000);
  const words = `${seconds} s ${apartMs > 0 ? "ahead of" : "behind"} the API server's clock`;
  return { apartMs, isFar: Math.abs(apartMs) > skewMaxMs, words };
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/**
 * Milliseconds since 1970 of "Sun, 22 Nov 2026 01:00:00 GMT", a response's Date header; undefined
 * for any other text.
 */
function parseHttpDate(text: string): number | undefined {
  const [, day, name = "", year, time] =
    /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}:\d{2}:\d{2}) GMT$/.exec(text) ?? [];
  const month = months.indexOf(name) + 1;
  return month === 0 ? undefined : parseTimestamp(`${year}-${String(month).padStart(2, "0")}-${day}T${time}Z`);
}
