import type { JsonObject, JsonValue } from "@kintsugi/api";
import { withinLimits } from "@kintsugi/api/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepFreeze, errorOf } from "../testing/refusals.ts";
import * as patch from "./index.ts";
import { deployment, type MergeRow } from "./testing/strategic-merge-types.ts";

const scalarsAndMaps: MergeRow[] = [
  {
    name: "a scalar is replaced",
    document: { spec: { replicas: 1 } },
    patch: { spec: { replicas: 2 } },
    result: { spec: { replicas: 2 } },
  },
  {
    name: "null deletes a member",
    document: { spec: { replicas: 1 } },
    patch: { spec: { replicas: null } },
    result: { spec: {} },
  },
  {
    name: "null for a missing member changes nothing",
    document: { spec: {} },
    patch: { spec: { replicas: null } },
    result: { spec: {} },
  },
  {
    name: "labels are merged, and null deletes a label",
    document: { metadata: { labels: { a: "1", b: "2" } } },
    patch: { metadata: { labels: { a: null, c: "3" } } },
    result: { metadata: { labels: { b: "2", c: "3" } } },
  },
  {
    name: "nulls in a new map are dropped",
    document: {},
    patch: { metadata: { labels: { a: null, b: "1" } } },
    result: { metadata: { labels: { b: "1" } } },
  },
  {
    name: "a label named like a directive of an unknown field is a label",
    document: {},
    patch: { metadata: { labels: { $other: "x" } } },
    result: { metadata: { labels: { $other: "x" } } },
  },
  {
    name: "a list without a strategy is replaced",
    document: { spec: { tolerations: [{ key: "a" }] } },
    patch: { spec: { tolerations: [{ key: "b" }] } },
    result: { spec: { tolerations: [{ key: "b" }] } },
  },
  {
    name: "a map with strategy replace is replaced",
    document: { spec: { replaced: { a: "1" } } },
    patch: { spec: { replaced: { b: "2" } } },
    result: { spec: { replaced: { b: "2" } } },
  },
  {
    name: "a value of another type replaces the value",
    document: { spec: { anything: { a: 1 } } },
    patch: { spec: { anything: [1] } },
    result: { spec: { anything: [1] } },
  },
  {
    name: "$patch: replace replaces a map",
    document: { metadata: { labels: { a: "1" } } },
    patch: { metadata: { labels: { $patch: "replace", b: "2" } } },
    result: { metadata: { labels: { b: "2" } } },
  },
  {
    name: "$patch: delete empties a map",
    document: { metadata: { labels: { a: "1" } } },
    patch: { metadata: { labels: { $patch: "delete" } } },
    result: { metadata: { labels: {} } },
  },
  {
    name: "$patch: delete of a map that does not exist adds nothing",
    document: { metadata: {} },
    patch: { metadata: { labels: { $patch: "delete" } } },
    result: { metadata: {} },
  },
  {
    name: "$patch: merge is the default",
    document: { metadata: { labels: { a: "1" } } },
    patch: { metadata: { labels: { $patch: "merge", b: "2" } } },
    result: { metadata: { labels: { a: "1", b: "2" } } },
  },
  {
    name: "$patch: replace on the whole object",
    document: { spec: { replicas: 1 } },
    patch: { $patch: "replace", metadata: { name: "x" } },
    result: { metadata: { name: "x" } },
  },
  {
    name: "$retainKeys clears the keys that it does not name",
    document: { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "1" } } } },
    patch: { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
    result: { spec: { strategy: { type: "Recreate" } } },
  },
  {
    name: "$retainKeys in a new map is dropped",
    document: { spec: {} },
    patch: { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
    result: { spec: { strategy: { type: "Recreate" } } },
  },
];

const refused: { name: string; document: JsonObject; patch: unknown; code: number; message: string }[] = [
  { name: "a patch that is not an object", document: {}, patch: [], code: 400, message: "invalid JSON document" },
  {
    name: "an unknown directive",
    document: {},
    patch: { metadata: { $patch: "keep" } },
    code: 400,
    message: "unknown patch type: keep in map: map[$patch:keep]",
  },
  {
    name: "an unknown directive in a list",
    document: { spec: { containers: [{ name: "a" }] } },
    patch: { spec: { containers: [{ name: "a", $patch: "merge" }] } },
    code: 400,
    message: "unknown patch type: merge",
  },
  {
    name: "an element without its key",
    document: { spec: { containers: [{ name: "a" }] } },
    patch: { spec: { containers: [{ image: "x" }] } },
    code: 400,
    message: "map: map[image:x] does not contain declared merge key: name",
  },
  {
    name: "a deletion without its key",
    document: { spec: { containers: [{ name: "a" }] } },
    patch: { spec: { containers: [{ $patch: "delete" }] } },
    code: 400,
    message: "does not contain declared merge key: name",
  },
  {
    name: "elements of different types",
    document: { spec: { containers: [{ name: "a" }] } },
    patch: { spec: { containers: ["a"] } },
    code: 400,
    message: "list element types are not identical",
  },
  {
    name: "lists of lists",
    document: { metadata: { finalizers: ["a"] } },
    patch: { metadata: { finalizers: [["a"]] } },
    code: 422,
    message: "lists of lists are not supported",
  },
  {
    name: "$retainKeys that is not a list",
    document: {},
    patch: { spec: { $retainKeys: "a" } },
    code: 400,
    message: "invalid patch format of retainKeys",
  },
  {
    name: "$retainKeys that misses a member of the patch",
    document: {},
    patch: { spec: { $retainKeys: ["a"], replicas: 1 } },
    code: 400,
    message: "invalid patch format of retainKeys",
  },
  {
    name: "$setElementOrder that is not a list",
    document: {},
    patch: { spec: { "$setElementOrder/containers": {} } },
    code: 400,
    message: "invalid patch format of setElementOrder list",
  },
  {
    name: "$setElementOrder that contradicts the patch's own order",
    document: { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    patch: {
      spec: {
        "$setElementOrder/containers": [{ name: "a" }, { name: "b" }],
        containers: [{ name: "b" }, { name: "a" }],
      },
    },
    code: 400,
    message: "doesn't match $setElementOrder list",
  },
  {
    name: "$deleteFromPrimitiveList that is not a list",
    document: {},
    patch: { metadata: { "$deleteFromPrimitiveList/finalizers": "a" } },
    code: 400,
    message: "invalid patch format of primitive list",
  },
  {
    name: "$deleteFromPrimitiveList for a list that does not merge",
    document: {},
    patch: { spec: { "$deleteFromPrimitiveList/tolerations": ["a"] } },
    code: 400,
    message: "invalid patch format of primitive list",
  },
  {
    name: "__proto__",
    document: {},
    patch: JSON.parse('{"metadata":{"labels":{"__proto__":{"polluted":"1"}}}}'),
    code: 400,
    message: "forbidden member name",
  },
];

describe("strategic merge patch", () => {
  test.each(scalarsAndMaps)("$name", (row) => {
    const before = structuredClone([row.document, row.patch]);
    expect(patch.applyStrategicMergePatch(deepFreeze(row.document), deepFreeze(row.patch), deployment)).toEqual(
      row.result,
    );
    expect([row.document, row.patch]).toEqual(before);
  });

  test.each(refused)("refuses $name", ({ document, patch: refusedPatch, code, message }) => {
    const error = errorOf(() => patch.applyStrategicMergePatch(document, refusedPatch as JsonValue, deployment));
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
  });

  test("the tested functions are the functions that the pipeline calls", () => {
    const ports = patch;
    expect(Object.keys(ports).toSorted()).toEqual(["applyJsonPatch", "applyMergePatch", "applyStrategicMergePatch"]);
  });

  test("the result does not share parts with the document or the patch", () => {
    const document = { spec: { containers: [{ name: "a", env: [{ name: "X" }] }] } };
    const change = { spec: { containers: [{ name: "b", command: ["run"] }] } };
    const result = patch.applyStrategicMergePatch(document, change, deployment);
    assertSharesNothing(result, document);
    assertSharesNothing(result, change);
  });

  test("two lists of 20,000 primitives merge in well under a second", () => {
    const values = Array.from({ length: 20_000 }, (_, index) => `f-${index}`);
    const document = { metadata: { finalizers: values } };
    const change = { metadata: { "$setElementOrder/finalizers": values.toReversed(), finalizers: values.slice(0, 1) } };
    const result = patch.applyStrategicMergePatch(document, change, deployment);
    expect((result["metadata"] as JsonObject)["finalizers"]).toEqual(values.toReversed());
  }, 5_000);

  test("applying a patch without deletions twice has the same result as applying it once", () => {
    fc.assert(
      fc.property(
        arbitraryDeployment(),
        arbitraryDeployment(),
        withinLimits((document, change) => {
          const once = patch.applyStrategicMergePatch(document, change, deployment);
          expect(patch.applyStrategicMergePatch(once, change, deployment)).toEqual(once);
        }),
      ),
    );
  });

  test("every element of patch and document appears once, with the patch's members", () => {
    fc.assert(
      fc.property(
        arbitraryDeployment(),
        arbitraryDeployment(),
        withinLimits((document, change) => {
          const names = (value: JsonObject) => containersOf(value).map((item) => item["name"]);
          const result = patch.applyStrategicMergePatch(document, change, deployment);
          expect(new Set(names(result))).toEqual(new Set([...names(document), ...names(change)]));
          expect(names(result)).toHaveLength(new Set(names(result)).size);
          for (const item of containersOf(change)) {
            expect(containersOf(result).find((merged) => merged["name"] === item["name"])).toMatchObject({
              image: item["image"],
            });
          }
        }),
      ),
    );
  });
});

function containersOf(value: JsonObject): JsonObject[] {
  return (value as { spec: { containers: JsonObject[] } }).spec.containers;
}

function arbitraryDeployment(): fc.Arbitrary<JsonObject> {
  const items = fc.uniqueArray(
    fc.record({ name: fc.constantFrom("a", "b", "c", "d", "e"), image: fc.constantFrom("1", "2", "3") }),
    {
      selector: (item) => item.name,
    },
  );
  const finalizers = fc.uniqueArray(fc.constantFrom("x", "y", "z"));
  return fc.record({ metadata: fc.record({ finalizers }), spec: fc.record({ containers: items }) });
}

function assertSharesNothing(left: JsonValue, right: JsonValue): void {
  const seen = new Set<unknown>();
  const visit = (value: JsonValue, onObject: (value: object) => void): void => {
    if (typeof value === "object" && value !== null) {
      onObject(value);
      Object.values(value).forEach((content) => visit(content as JsonValue, onObject));
    }
  };
  visit(left, (value) => seen.add(value));
  visit(right, (value) => expect(seen.has(value)).toBe(false));
}
