/**
 * Node's assert for code that runs in browsers too: the program is wrong when `holds` is false.
 * @throws Error with the promise that was broken; nothing may catch it.
 */
export function invariant(holds: boolean, promise: string): asserts holds {
  if (!holds) throw new Error(promise);
}
