/** Does the work once, when its result is first requested. */
export function lazily<T>(work: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: work() }).value;
}
