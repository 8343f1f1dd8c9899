/** Compares like node:util: own enumerable fields, regardless of their order. */
export function isDeepStrictEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false;
  if (one instanceof Map && other instanceof Map) return isDeepStrictEqual([...one], [...other]);
  if (one instanceof Set && other instanceof Set) return isDeepStrictEqual([...one], [...other]);
  const [a, b] = [one as Record<string, unknown>, other as Record<string, unknown>];
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isDeepStrictEqual(a[key], b[key]));
}

/** Text of a value for error messages. */
export function inspect(value: unknown): string {
  return value instanceof Error ? (value.stack ?? value.message) : (JSON.stringify(value) ?? String(value));
}

export function promisify(call: (...words: unknown[]) => void) {
  return (...words: unknown[]) =>
    new Promise((resolve, reject) =>
      call(...words, (error: unknown, value: unknown) => (error ? reject(error as Error) : resolve(value))),
    );
}
