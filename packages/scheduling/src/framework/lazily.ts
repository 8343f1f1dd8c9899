/** Does the work when its result is first requested, and once. */
export function lazily<T>(work: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: work() }).value;
}
