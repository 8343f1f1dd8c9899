import { completeStatus } from "@kintsugi/api";
import { type StoredObject, storedObject } from "@kintsugi/api-server/factory";
import type { StartObject, StartState } from "@kintsugi/rehearsal";
import type { Store } from "@kintsugi/store";

/** A process simulates many runs of one start, and encodes its objects once. */
const encodedStarts = new WeakMap<StartState, readonly StoredObject[]>();
/** Concurrent writes share a batch; more writes would only take memory. */
const togetherMax = 256;

/** Writes the objects of a start into an empty store, in their order. */
export async function writeStart(store: Store, start: StartState): Promise<void> {
  const objects = encodedObjects(start);
  for (let from = 0; from < objects.length; from += togetherMax) {
    const together = objects.slice(from, from + togetherMax);
    await Promise.all(
      together.map(({ key, put, index }) => store.update(key, () => ({ put, index, result: undefined }))),
    );
  }
}

/** Returns the stored form of the objects of a start, which all of its runs share. */
export function encodedObjects(start: StartState): readonly StoredObject[] {
  const objects = encodedStarts.get(start) ?? start.objects.map(encode);
  encodedStarts.set(start, objects);
  return objects;
}

/**
 * The API server always stores a status. It adds the status to each response about an object
 * without a status, which would decode the object again for each response.
 */
function encode({ kind, object }: StartObject): StoredObject {
  const complete: StartObject["object"] & { status?: unknown } = { ...object };
  if (complete.status === undefined) completeStatus(kind.type, complete);
  return storedObject(kind, complete);
}
