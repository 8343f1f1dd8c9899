import { completeStatus } from "@kintsugi/api";
import { type StoredObject, storedObject } from "@kintsugi/api-server/factory";
import type { StartObject, StartState } from "@kintsugi/rehearsal";
import type { Entry } from "@kintsugi/store";
import { storedEntries } from "@kintsugi/store/simulated";

/** A process simulates many runs of one start, and encodes its objects once. */
const entriesByStart = new WeakMap<StartState, readonly Entry[]>();

/** Returns the stored form of the objects of a start, in their order. */
export function startEntries(start: StartState): readonly Entry[] {
  const entries = entriesByStart.get(start) ?? storedEntries(start.objects.map(encode));
  entriesByStart.set(start, entries);
  return entries;
}

/**
 * The API server always stores a status. For an object that lacks a stored status, the server would
 * add the status to each response, and decode the object each time.
 */
function encode({ kind, object }: StartObject): StoredObject {
  const complete: StartObject["object"] & { status?: unknown } = { ...object };
  if (complete.status === undefined) completeStatus(kind.type, complete);
  return storedObject(kind, complete);
}
