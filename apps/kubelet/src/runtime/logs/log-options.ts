import { isTimestamp, parseTimestamp } from "@kintsugi/api";

/** The options of a request for a log (PodLogOptions). */
export interface LogOptions {
  follow: boolean;
  previous: boolean;
  timestamps: boolean;
  tailLines: number | undefined;
  limitBytes: number | undefined;
  sinceMs: number | undefined;
}

/** @throws RangeError with a sentence about the invalid parameter. */
export function parseLogOptions(query: URLSearchParams, nowMs: number): LogOptions {
  const sinceSeconds = integer(query, "sinceSeconds", 1);
  const sinceTime = query.get("sinceTime");
  if (sinceSeconds !== undefined && sinceTime !== null) {
    throw new RangeError("at most one of `sinceTime` or `sinceSeconds` may be specified");
  }
  if (sinceTime !== null && !isTimestamp(sinceTime))
    throw new RangeError(`sinceTime: invalid time ${JSON.stringify(sinceTime)}`);
  return {
    follow: flag(query, "follow"),
    previous: flag(query, "previous"),
    timestamps: flag(query, "timestamps"),
    tailLines: integer(query, "tailLines", 0),
    limitBytes: integer(query, "limitBytes", 1),
    sinceMs:
      sinceTime !== null
        ? parseTimestamp(sinceTime)
        : sinceSeconds === undefined
          ? undefined
          : nowMs - sinceSeconds * 1000,
  };
}

function flag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== "false" && value !== "0";
}

function integer(query: URLSearchParams, name: string, least: number): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least) {
    throw new RangeError(`${name}: must be ${least === 0 ? "greater than or equal to 0" : "greater than 0"}`);
  }
  return value;
}
