import { parseHttpDate } from "./http-date.ts";

/**
 * Certificates begin five minutes before they are made, and the time of an answer is of whole
 * seconds: less is nothing to worry about.
 */
const skewMaxMs = 60_000;

/** The distance of a clock from the API server's. */
export interface ClockSkew {
  /** Positive for a clock that is ahead. */
  readonly apartMs: number;
  /** The distance is too large to continue with. */
  readonly isFar: boolean;
  /** "75 s ahead of the API server's". */
  readonly words: string;
}

/**
 * Compares with the header Date of an answer that has just come; undefined where it has none that
 * can be read.
 */
export function clockSkew(serverDate: string | undefined, ownMs: number): ClockSkew | undefined {
  const serverMs = serverDate === undefined ? undefined : parseHttpDate(serverDate);
  if (serverMs === undefined) return undefined;
  const apartMs = ownMs - serverMs;
  const seconds = Math.round(Math.abs(apartMs) / 1000);
  const words = `${seconds} s ${apartMs > 0 ? "ahead of" : "behind"} the API server's`;
  return { apartMs, isFar: Math.abs(apartMs) > skewMaxMs, words };
}
