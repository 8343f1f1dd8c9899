import type { Change, Committed, EncodedObject, Entry, EntryIndex, Store } from "../store.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * A small object whose resourceVersion the store fills in:
 * `{"data":…,"resourceVersion":"<revision>"}`.
 */
export function encodedObject(data: unknown): EncodedObject {
  const head = `{"data":${JSON.stringify(data)},"resourceVersion":"`;
  return { head: encoder.encode(head), tail: encoder.encode(`"}`) };
}

/** Returns the data that `encodedObject` put into the entry. */
export function dataOf(entry: Entry | undefined): unknown {
  return entry === undefined ? undefined : parsed(entry).data;
}

/** The revision inside the object. */
export function resourceVersionOf(entry: Entry): string {
  return parsed(entry).resourceVersion;
}

/** Writes `data` at the key, over any present value. */
export function putData(store: Store, key: string, data: unknown): Promise<Committed<undefined>> {
  return store.update(key, () => putOf(key, data));
}

/** Deletes the key, which exists. */
export function deleteKey(store: Store, key: string): Promise<Committed<undefined>> {
  return store.update(key, (current) => ({
    delete: encodedObject(dataOf(current)),
    index: indexOf(key),
    result: undefined,
  }));
}

export function putOf(key: string, data: unknown): Change<undefined> {
  return { put: encodedObject(data), index: indexOf(key), result: undefined };
}

function indexOf(key: string): EntryIndex {
  return { uid: `uid of ${key}`, labels: { app: "web" }, fields: { "spec.nodeName": "node-1" } };
}

function parsed(entry: Entry): { data: unknown; resourceVersion: string } {
  return JSON.parse(decoder.decode(entry.value)) as { data: unknown; resourceVersion: string };
}
