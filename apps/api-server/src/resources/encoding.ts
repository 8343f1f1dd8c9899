import type { EncodedObject, Entry } from "@kintsugi/store";
import type { KubeObject } from "./resource.ts";

/**
 * An object as JSON around its resourceVersion, which is always the last member of the metadata,
 * preceded by managedFields:
 *   head {"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","managedFields":[…],
 *        "resourceVersion":"
 *   tail "},"spec":{}}
 */
export function encodeObject(object: KubeObject): EncodedObject {
  const { apiVersion, kind, metadata, ...rest } = object;
  const { resourceVersion: _, managedFields, ...meta } = metadata;
  const metaText = JSON.stringify(meta);
  const named = metaText === "{}" ? "{" : `${metaText.slice(0, -1)},`;
  const open = managedFields === undefined ? named : `${named}"managedFields":${JSON.stringify(managedFields)},`;
  const restText = JSON.stringify(rest);
  return {
    head: Buffer.from(
      `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":${open}"resourceVersion":"`,
    ),
    tail: Buffer.from(restText === "{}" ? '"}}' : `"},${restText.slice(1)}`),
  };
}

/** The whole object with the given `revision`. */
export function joinEncoded(encoded: EncodedObject, revision: number): Buffer {
  return Buffer.concat([encoded.head, Buffer.from(String(revision)), encoded.tail]);
}

/**
 * An entry's bytes before and after its revision, with which they can be written again. Undefined
 * where the revision's position is uncertain, because a label may also be named resourceVersion.
 */
export function splitEntry({ value, revision }: Pick<Entry, "value" | "revision">): EncodedObject | undefined {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const digits = String(revision);
  const place = `"resourceVersion":"${digits}"}`;
  const start = bytes.indexOf(place);
  if (start < 0 || bytes.indexOf(place, start + 1) >= 0) return undefined;
  const end = start + place.length - 2;
  return { head: bytes.subarray(0, end - digits.length), tail: bytes.subarray(end) };
}

const managersStart = Buffer.from(',"managedFields":[');
/**
 * managedFields contain no lists, so this is the end of their list unless it is inside a string.
 */
const managersEnd = Buffer.from('],"');

/**
 * An entry's bytes without managedFields, which are two fifths of a running pod and which informers
 * do not read. Ambiguous bytes are unchanged: in
 *   {"kind":"Pod",…"metadata":{"name":"a","managedFields":[{…}],"resourceVersion":"7"},"spec":{}}
 * the list that ends before the first resourceVersion of this revision is the object's
 * managedFields. A list of that name in the spec comes after the resourceVersion, and in an
 * annotation the quotes are escaped.
 */
export function valueWithoutManagers({ value, revision }: Pick<Entry, "value" | "revision">): Uint8Array {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const start = bytes.indexOf(managersStart);
  if (start < 0) return value;
  const end = bytes.indexOf(managersEnd, start);
  if (end < 0 || bytes.indexOf(`"resourceVersion":"${revision}"}`) !== end + 2) return value;
  return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end + 1)]);
}

/** A new copy that the caller may change. */
export function decodeEntry(entry: Entry): KubeObject {
  return JSON.parse(decodeText(entry.value)) as KubeObject;
}

function decodeText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
