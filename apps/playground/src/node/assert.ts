/** A violated assumption of the program, as node:assert throws it. */
export class AssertionError extends Error {
  override readonly name = "AssertionError";
}

function check(value: unknown, message?: string | Error): asserts value {
  if (!value) throw message instanceof Error ? message : new AssertionError(message ?? "an assertion failed");
}

/** The part of node:assert that the services use. */
export const strict = Object.assign(check, {
  ok: check,
  equal(actual: unknown, expected: unknown, message?: string): void {
    check(Object.is(actual, expected), message ?? `${String(actual)} is not ${String(expected)}`);
  },
  fail(message?: string | Error): never {
    throw message instanceof Error ? message : new AssertionError(message ?? "an assertion failed");
  },
  AssertionError,
});
