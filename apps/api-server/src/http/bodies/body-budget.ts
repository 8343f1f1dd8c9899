import { type Kind, jsonValuesMax } from "@kintsugi/api";

// A body is read in one turn of the event loop, in which no other request is answered. Its size is
// limited so that reading, checking and storing it take less than 50 ms of an ordinary core; `npm
// run bench -- hostile` measures that.

/** Upstream's limit for a request body. */
export const bodyBytesMax = 3 * 1024 * 1024;

/**
 * Returns the number of values that an object of a kind may hold.
 */
export function valuesMaxOf({ exceptions }: Pick<Kind, "exceptions">): number {
  return exceptions.valuesMax ?? jsonValuesMax;
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
