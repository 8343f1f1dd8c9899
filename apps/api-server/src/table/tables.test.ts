import { builtInKinds, configMapKind } from "@kintsugi/api";
import { expect, test } from "vitest";
import { converterOf } from "./table-converter.ts";
import { clusterRows } from "./testing/cluster-rows.ts";
import { storageRows } from "./testing/storage-rows.ts";
import { listedObject, rowsAtMs } from "./testing/table-row.ts";
import { workloadRows } from "./testing/workload-rows.ts";

test.each([...clusterRows, ...workloadRows, ...storageRows])("$name", ({ kind, object, cells }) => {
  const converter = converterOf(kind.table);
  expect(converter.row(object, { include: "None", version: "v1", nowMs: rowsAtMs })).toEqual({ cells, object: null });
  expect(cells).toHaveLength(converter.columnDefinitions.length);
});

const listed = builtInKinds.filter(({ verbs }) => verbs.includes("list"));

test.each(listed)("$type.kind has a single column that kubectl uses as the name", ({ table }) => {
  const formats = converterOf(table).columnDefinitions.map(({ format }) => format);
  expect(formats.filter((format) => format === "name")).toHaveLength(1);
});

test("a row contains the object in the form that the client requests", () => {
  const object = listedObject({ data: {} }, { labels: { a: "1" } });
  const converter = converterOf(configMapKind.table);
  expect(converter.row(object, { include: "None", version: "v1", nowMs: rowsAtMs })["object"]).toBeNull();
  expect(converter.row(object, { include: "Object", version: "v1", nowMs: rowsAtMs })["object"]).toBe(object);
  expect(converter.row(object, { include: "Metadata", version: "v1beta1", nowMs: rowsAtMs })["object"]).toEqual({
    kind: "PartialObjectMetadata",
    apiVersion: "meta.k8s.io/v1beta1",
    metadata: object["metadata"],
  });
});
