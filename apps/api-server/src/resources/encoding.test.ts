import type { ManagedFieldsEntry } from "@kintsugi/api";
import { expect, test } from "vitest";
import { encodeObject, joinEncoded, splitEntry, valueWithoutManagers } from "./encoding.ts";
import type { KubeObject } from "./resource.ts";

const manager: ManagedFieldsEntry = {
  manager: "kubectl",
  operation: "Update",
  apiVersion: "v1",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:spec": { 'k:{"port":80}': { ".": {}, "f:port": {} }, "v:a],": {} } },
};

function stored(metadata: KubeObject["metadata"], rest: Record<string, unknown> = {}, revision = 7) {
  const object = { apiVersion: "v1", kind: "Pod", metadata, ...rest } as KubeObject;
  return { value: joinEncoded(encodeObject(object), revision), revision };
}

const parsed = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString("utf8")) as KubeObject;

test("managed fields are stored before the revision, wherever the object had them", () => {
  const { value } = stored({ managedFields: [manager], name: "a", finalizers: ["x"] });
  expect(Object.keys(parsed(value).metadata)).toEqual(["name", "finalizers", "managedFields", "resourceVersion"]);
  expect(parsed(value).metadata).toEqual({
    name: "a",
    finalizers: ["x"],
    managedFields: [manager],
    resourceVersion: "7",
  });
});

const plain = { ...manager, fieldsV1: { "f:spec": {} } };

test("an object is sent without its managed fields and is unchanged in every other field", () => {
  const spec = { spec: { managedFields: [1], resourceVersion: "7" } };
  const entry = stored(
    { name: "a", annotations: { note: '","managedFields":[' }, managedFields: [plain, plain] },
    spec,
  );
  const { managedFields: _, ...metadata } = parsed(entry.value).metadata;
  expect(parsed(valueWithoutManagers(entry))).toEqual({ ...parsed(entry.value), metadata });
});

test.each<[string, ReturnType<typeof stored>]>([
  ["without managers", stored({ name: "a" })],
  [
    "with a list of that name in its spec",
    stored({ name: "a" }, { spec: { a: 1, managedFields: [1], resourceVersion: "7" } }),
  ],
  [
    "with the same text in its spec",
    stored({ name: "a" }, { spec: { a: 1, managedFields: [{}], b: [], resourceVersion: "7" } }),
  ],
  ["whose label is the revision", stored({ name: "a", labels: { resourceVersion: "7" }, managedFields: [plain] })],
  [
    "with a string in its managed fields that resembles the end of the managed fields",
    stored({ name: "a", managedFields: [manager] }),
  ],
  ["of another revision", { ...stored({ name: "a", managedFields: [plain] }), revision: 8 }],
])("an object %s is sent as it is stored", (_, entry) => {
  expect(Buffer.from(valueWithoutManagers(entry)).toString()).toBe(Buffer.from(entry.value).toString());
});

test("a stored object is rewritten byte for byte with another revision", () => {
  const entry = stored({ name: "a", managedFields: [manager] }, { spec: { nodeName: "n", resourceVersion: "8" } });
  const again = splitEntry(entry);
  expect(again && parsed(joinEncoded(again, 12_345))).toEqual({
    ...parsed(entry.value),
    metadata: { ...parsed(entry.value).metadata, resourceVersion: "12345" },
  });
});

test.each<[string, ReturnType<typeof stored>]>([
  ["a label", stored({ name: "a", labels: { resourceVersion: "7" } })],
  ["a field", stored({ name: "a" }, { spec: { of: { resourceVersion: "7" } } })],
])("an object in which %s looks like its revision is not split", (_, entry) => {
  expect(splitEntry(entry)).toBeUndefined();
});
