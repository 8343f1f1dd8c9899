/**
 * `make`, but at most once for each key: its answer is remembered for as long as the key itself is
 * held by somebody. For what is made of an object that never changes. `make` answers something.
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
