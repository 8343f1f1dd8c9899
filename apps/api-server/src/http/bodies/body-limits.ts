import { type Kind, jsonValuesMax } from "@kintsugi/api";

// A body is parsed in one turn of the event loop, in which the server does not answer other
// requests. Its size is limited so that parsing, checking and storing it take less than 50 ms of an
// ordinary core; `npm run bench -- hostile` measures that.

/** Upstream's limit of a request body. */
export const bodyBytesMax = 3 * 1024 * 1024;

/**
 * Returns the number of values that an object of a kind may hold.
 */
export function valuesMaxOf({ exceptions }: Pick<Kind, "exceptions">): number {
  return exceptions.valuesMax ?? jsonValuesMax;
}

/**
 * A character of YAML costs a hundred times as much as a character of JSON. Longer bodies can be
 * sent as JSON, which is also YAML.
 */
export const yamlLengthMax = 256 * 1024;

/** A key and its value on one line are six tokens, and a token costs about two microseconds. */
export const yamlTokensMax = 10_000;
