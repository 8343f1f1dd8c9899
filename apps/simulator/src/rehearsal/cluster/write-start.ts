import { type StoredObject, storedObject } from "@kintsugi/api-server/factory";
import type { StartState } from "@kintsugi/rehearsal";
import type { Store } from "@kintsugi/store";

/** A process simulates many runs of one start, and encodes its objects once. */
const encodedStarts = new WeakMap<StartState, readonly StoredObject[]>();
/** Concurrent writes share a batch; more would only take memory. */
const togetherMax = 256;

/** Writes the objects of a start into an empty store, in their order. */
export async function writeStart(store: Store, start: StartState): Promise<void> {
  const objects = encodedStarts.get(start) ?? start.objects.map(({ kind, object }) => storedObject(kind, object));
  encodedStarts.set(start, objects);
  for (let from = 0; from < objects.length; from += togetherMax) {
    const together = objects.slice(from, from + togetherMax);
    await Promise.all(
      together.map(({ key, put, index }) => store.update(key, () => ({ put, index, result: undefined }))),
    );
  }
}
