import { AssertionError } from "node:assert";

/** The default branch of an exhaustive switch. @throws AssertionError: the program is wrong. */
export function unreachable(value: never): never {
  throw new AssertionError({ message: `unreachable: ${JSON.stringify(value)}` });
}
