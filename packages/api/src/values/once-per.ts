/**
 * Calls `make` at most once for each key, and retains its result for as long as other code
 * references the key. The key must be an object that never changes, and `make` must return a value.
 */
export function oncePer<K extends object, V extends NonNullable<unknown>>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, V>();
  return (key) => {
    let value = made.get(key);
    if (value === undefined) {
      value = make(key);
      made.set(key, value);
    }
    return value;
  };
}
