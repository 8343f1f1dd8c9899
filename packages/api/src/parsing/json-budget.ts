import { badRequest } from "../errors/refusals.ts";

/**
 * Deeper than the nesting of any kind, and far below the depth at which recursive walks overflow
 * the stack.
 */
export const jsonDepthMax = 64;

/**
 * Maximum number of values in one text: members, items, objects and lists. A value costs a server
 * two or three microseconds on its way into the store. The largest objects that clients send,
 * EndpointSlices of 1,000 endpoints, contain 15,000 values.
 */
export const jsonValuesMax = 20_000;

/** The limits on a string that is parsed in one turn of the event loop. */
export interface JsonBudget {
  /** Default 20,000. */
  readonly valuesMax?: number | undefined;
  /** Default 64. */
  readonly depthMax?: number;
  /** The subject of an error message. Default: "the body". */
  readonly of?: string;
}

const [quote, comma, openBrace, closeBrace, openBracket, closeBracket, backslash] = [
  0x22, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d, 0x5c,
] as const;

/**
 * Counts the values of a JSON text and checks its depth, before it is parsed.
 * @returns the number of values, or an upper bound.
 * @throws ApiError BadRequest
 */
export function assertJsonBudget(text: string, budget: JsonBudget = {}): number {
  const { valuesMax = jsonValuesMax, depthMax = jsonDepthMax, of = "the body" } = budget;
  const opened = countUpTo(text, "{", depthMax + 1) + countUpTo(text, "[", depthMax + 1);
  // The depth never exceeds the number of brackets. Most bodies have so few brackets that it does
  // not matter which of them are in strings.
  if (opened <= depthMax) {
    const values = opened + countUpTo(text, ",", valuesMax + 1) + 1;
    if (values <= valuesMax) return values;
  }
  return scan(text, { valuesMax, depthMax, of });
}

/**
 * Parses a text of another program: the response of a webhook, of an aggregated API server, of an
 * issuer of tokens, or a string that a user stored in an object. Its depth and its number of values
 * are limited before it is parsed, because eight megabytes of brackets take two seconds and 400 MB.
 * @throws Error
 */
export function parseForeignJson(text: string, budget: JsonBudget = {}): unknown {
  assertJsonBudget(text, { of: "the text", ...budget });
  return JSON.parse(text);
}

/** @throws ApiError BadRequest when `values` exceeds the maximum of a body. */
export function assertValueCount(values: number, max: number, of = "the body"): void {
  if (values > max) throw badRequest(`${of} holds more than ${max} values`);
}

function countUpTo(text: string, character: string, max: number): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0 && count < max; at = text.indexOf(character, at + 1)) count++;
  return count;
}

function scan(text: string, { valuesMax, depthMax, of }: Required<JsonBudget> & { valuesMax: number }): number {
  let depth = 0;
  let values = 1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) {
      i = endOfString(text, i);
    } else if (code === openBrace || code === openBracket) {
      if (++depth > depthMax) throw badRequest(`${of} nests deeper than ${depthMax} levels`);
      assertValueCount(++values, valuesMax, of);
    } else if (code === comma) {
      assertValueCount(++values, valuesMax, of);
    } else if (code === closeBrace || code === closeBracket) {
      depth--;
    }
  }
  return values;
}

/**
 * The index of the quote that closes the string opened at `start`; the text's end without such a
 * quote.
 */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes++;
    if (backslashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

/** Counts the values of an object, as in its text. */
export function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 1;
  if (Array.isArray(value)) {
    for (const item of value) count += 1 + countValues(item);
    return count;
  }
  // A plain object, as all objects in JSON: only its own members are enumerated.
  for (const member in value) count += 1 + countValues((value as Record<string, unknown>)[member]);
  return count;
}
