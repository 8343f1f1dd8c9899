import type { EncodedObject, Entry } from "@kintsugi/store";
import type { KubeObject } from "./resource.ts";

/**
 * An object as JSON around its resourceVersion, which always stands last in the metadata:
 *   head {"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","resourceVersion":"
 *   tail "},"spec":{}}
 */
export function encodeObject(object: KubeObject): EncodedObject {
  const { apiVersion, kind, metadata, ...rest } = object;
  const { resourceVersion: _, ...meta } = metadata;
  const metaText = JSON.stringify(meta);
  const open = metaText === "{}" ? "{" : `${metaText.slice(0, -1)},`;
  const restText = JSON.stringify(rest);
  return {
    head: Buffer.from(
      `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":${open}"resourceVersion":"`,
    ),
    tail: Buffer.from(restText === "{}" ? '"}}' : `"},${restText.slice(1)}`),
  };
}

/** The whole object with `revision` in place. */
export function joinEncoded(encoded: EncodedObject, revision: number): Buffer {
  return Buffer.concat([encoded.head, Buffer.from(String(revision)), encoded.tail]);
}

/** A fresh copy that the caller may change. */
export function decodeEntry(entry: Entry): KubeObject {
  return JSON.parse(decodeText(entry.value)) as KubeObject;
}

function decodeText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
