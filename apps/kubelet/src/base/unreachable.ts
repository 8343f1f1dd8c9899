import { AssertionError } from "node:assert";

/**
 * The default branch of an exhaustive switch. @throws AssertionError, because reaching it is a
 * fault of the program.
 */
export function unreachable(value: never): never {
  throw new AssertionError({ message: `unreachable: ${JSON.stringify(value)}` });
}
