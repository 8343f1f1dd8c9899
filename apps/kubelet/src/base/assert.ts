import { AssertionError } from "node:assert";

/** @throws AssertionError: the program is wrong, and must not go on. */
export function assert(holds: boolean, promise: string): asserts holds {
  if (!holds) throw new AssertionError({ message: `broken promise: ${promise}` });
}

/** The default branch of an exhaustive switch. */
export function unreachable(value: never): never {
  throw new AssertionError({ message: `unreachable: ${JSON.stringify(value)}` });
}
