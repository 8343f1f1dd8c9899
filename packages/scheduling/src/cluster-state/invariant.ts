/**
 * Node's assert for code that also runs in browsers: the program is wrong when `holds` is false.
 * @throws Error with the violated invariant; it must not be caught.
 */
export function invariant(holds: boolean, promise: string): asserts holds {
  if (!holds) throw new Error(promise);
}
