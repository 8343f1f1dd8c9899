import { badRequest, type Kind } from "@kintsugi/api";

// A body is read in one turn of the event loop, in which no other request is answered. Its size is
// limited so that reading, checking and storing it take less than 50 ms of an ordinary core; `npm
// run bench -- hostile` measures that.

/** Upstream's limit for a request body. */
export const bodyBytesMax = 3 * 1024 * 1024;

/** Deeper than any kind nests, and far from where recursive walks overflow the stack. */
export const depthMax = 64;

/**
 * One body may hold this many values: members, items, objects and lists. A value costs its server
 * two or three microseconds on its way into the store. The largest objects that clients send,
 * EndpointSlices of 1,000 endpoints, hold 15,000.
 */
export const valuesMax = 20_000;

/**
 * Returns the number of values that an object of a kind may hold.
 */
export function valuesMaxOf({ exceptions }: Pick<Kind, "exceptions">): number {
  return exceptions.valuesMax ?? valuesMax;
}

/**
 * A character of YAML costs a hundred times as much as one of JSON; longer bodies can be sent as
 * JSON, which is YAML too.
 */
export const yamlLengthMax = 256 * 1024;

/**
 * A key and its value in a line of their own are six tokens; a token costs about two microseconds.
 */
export const yamlTokensMax = 10_000;

/** @throws ApiError BadRequest when `values` are more than a body may hold. */
export function assertValueCount(values: number, max: number): void {
  if (values > max) throw badRequest(`the body holds more than ${max} values`);
}

const [quote, comma, openBrace, closeBrace, openBracket, closeBracket, backslash] = [
  0x22, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d, 0x5c,
] as const;

/** Counts the values of an object, as in its text. */
export function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 1;
  if (Array.isArray(value)) {
    for (const item of value) count += 1 + countValues(item);
    return count;
  }
  // A plain object, as all are that JSON is made of: only its own members are enumerated.
  for (const member in value) count += 1 + countValues((value as Record<string, unknown>)[member]);
  return count;
}

/**
 * Counts the values of a JSON text and checks its depth, before an object is built of it.
 * @returns the number of values, or more.
 * @throws ApiError BadRequest
 */
export function assertJsonBudget(text: string, max = valuesMax): number {
  const opened = countUpTo(text, "{", depthMax + 1) + countUpTo(text, "[", depthMax + 1);
  // Nothing nests deeper than it has brackets. Most bodies have so few that it need not be found
  // out which of them are text.
  if (opened <= depthMax) {
    const values = opened + countUpTo(text, ",", max + 1) + 1;
    if (values <= max) return values;
  }
  return scan(text, max);
}

function countUpTo(text: string, character: string, max: number): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0 && count < max; at = text.indexOf(character, at + 1)) count++;
  return count;
}

function scan(text: string, max: number): number {
  let depth = 0;
  let values = 1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) {
      i = endOfString(text, i);
    } else if (code === openBrace || code === openBracket) {
      if (++depth > depthMax) throw badRequest(`the body nests deeper than ${depthMax} levels`);
      assertValueCount(++values, max);
    } else if (code === comma) {
      assertValueCount(++values, max);
    } else if (code === closeBrace || code === closeBracket) {
      depth--;
    }
  }
  return values;
}

/** The index of the quote that closes the string opened at `start`; the text's end if none does. */
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
