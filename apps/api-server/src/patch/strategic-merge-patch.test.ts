import { ApiError } from "@kintsugi/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FieldDescription, TypeDescription } from "@kintsugi/api";
import * as patch from "./index.ts";
import type { JsonObject, JsonValue } from "./json-value.ts";

const string: TypeDescription = { type: "string" };
const integer: TypeDescription = { type: "integer", format: "int32" };
const strings: TypeDescription = { type: "list", items: string };
const stringMap: TypeDescription = { type: "map", values: string };

function object(
  name: string,
  fields: Record<string, TypeDescription | Omit<FieldDescription, "name" | "required">>,
): TypeDescription {
  const described = Object.entries(fields).map(([field, value]): [string, FieldDescription] => [
    field,
    {
      name: field,
      required: false,
      ...("fields" in value || typeof value.type === "string"
        ? { type: value as TypeDescription }
        : (value as { type: TypeDescription })),
    },
  ]);
  return { type: "object", name, fields: new Map(described) };
}

function mergedBy(mergeKey: string, items: TypeDescription) {
  return { type: { type: "list", items } as const, patchStrategy: "merge", patchMergeKey: mergeKey };
}

const container = object("Container", {
  name: string,
  image: string,
  command: strings,
  env: mergedBy(
    "name",
    object("EnvVar", { name: string, value: string, valueFrom: object("EnvVarSource", { fieldPath: string }) }),
  ),
  ports: mergedBy("containerPort", object("ContainerPort", { containerPort: integer, name: string, protocol: string })),
  resources: object("ResourceRequirements", { limits: stringMap }),
});

const deployment = object("Deployment", {
  metadata: object("ObjectMeta", {
    name: string,
    labels: stringMap,
    annotations: stringMap,
    finalizers: { type: strings, patchStrategy: "merge" },
  }),
  spec: object("Spec", {
    replicas: integer,
    strategy: {
      type: object("Strategy", { type: string, rollingUpdate: object("RollingUpdate", { maxSurge: string }) }),
      patchStrategy: "retainKeys",
    },
    containers: mergedBy("name", container),
    volumes: {
      ...mergedBy(
        "name",
        object("Volume", {
          name: string,
          emptyDir: object("EmptyDir", { medium: string }),
          configMap: object("Ref", { name: string }),
        }),
      ),
      patchStrategy: "merge,retainKeys",
    },
    tolerations: { type: "list", items: object("Toleration", { key: string }) },
    replaced: { type: stringMap, patchStrategy: "replace" },
    anything: { type: "any" },
  }),
});

interface Row {
  name: string;
  document: JsonObject;
  patch: JsonObject;
  result: JsonObject;
}

const scalarsAndMaps: Row[] = [
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
    name: "labels merge and null deletes one",
    document: { metadata: { labels: { a: "1", b: "2" } } },
    patch: { metadata: { labels: { a: null, c: "3" } } },
    result: { metadata: { labels: { b: "2", c: "3" } } },
  },
  {
    name: "nulls in a map that is new are dropped",
    document: {},
    patch: { metadata: { labels: { a: null, b: "1" } } },
    result: { metadata: { labels: { b: "1" } } },
  },
  {
    name: "a label named like a directive of nothing known is a label",
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
    name: "a value of another type takes the place",
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
    name: "$patch: delete of a map that is not there adds nothing",
    document: { metadata: {} },
    patch: { metadata: { labels: { $patch: "delete" } } },
    result: { metadata: {} },
  },
  {
    name: "$patch: merge is what happens anyway",
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
    name: "$retainKeys clears what it does not name",
    document: { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "1" } } } },
    patch: { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
    result: { spec: { strategy: { type: "Recreate" } } },
  },
  {
    name: "$retainKeys in a new map only disappears",
    document: { spec: {} },
    patch: { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
    result: { spec: { strategy: { type: "Recreate" } } },
  },
];

const objectLists: Row[] = [
  {
    name: "elements with the same key merge",
    document: { spec: { containers: [{ name: "a", image: "1", command: ["x"] }] } },
    patch: { spec: { containers: [{ name: "a", image: "2" }] } },
    result: { spec: { containers: [{ name: "a", image: "2", command: ["x"] }] } },
  },
  {
    name: "a new element stands first, where upstream puts it",
    document: { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    patch: { spec: { containers: [{ name: "c" }] } },
    result: { spec: { containers: [{ name: "c" }, { name: "a" }, { name: "b" }] } },
  },
  {
    name: "elements the patch names take its order and the others keep theirs before what they preceded",
    document: { spec: { containers: [{ name: "a" }, { name: "b" }, { name: "c" }, { name: "d" }] } },
    patch: {
      spec: {
        containers: [
          { name: "d", image: "1" },
          { name: "b", image: "2" },
        ],
      },
    },
    result: {
      spec: { containers: [{ name: "a" }, { name: "c" }, { name: "d", image: "1" }, { name: "b", image: "2" }] },
    },
  },
  {
    name: "$patch: delete removes an element",
    document: { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    patch: { spec: { containers: [{ name: "a", $patch: "delete" }] } },
    result: { spec: { containers: [{ name: "b" }] } },
  },
  {
    name: "$patch: delete of an element that is not there changes nothing",
    document: { spec: { containers: [{ name: "a" }] } },
    patch: { spec: { containers: [{ name: "z", $patch: "delete" }] } },
    result: { spec: { containers: [{ name: "a" }] } },
  },
  {
    name: "$patch: replace replaces the list by the other elements",
    document: { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    patch: { spec: { containers: [{ $patch: "replace" }, { name: "c" }] } },
    result: { spec: { containers: [{ name: "c" }] } },
  },
  {
    name: "$patch: replace alone empties the list",
    document: { spec: { containers: [{ name: "a" }] } },
    patch: { spec: { containers: [{ $patch: "replace" }] } },
    result: { spec: { containers: [] } },
  },
  {
    name: "directives in a list that is new leave nothing behind",
    document: { spec: {} },
    patch: {
      spec: {
        containers: [
          { name: "a", $patch: "delete" },
          { name: "b", env: [{ name: "X", value: null }] },
        ],
      },
    },
    result: { spec: { containers: [{ name: "b", env: [{ name: "X" }] }] } },
  },
  {
    name: "lists inside elements merge too, by numbers where the key is one",
    document: {
      spec: { containers: [{ name: "a", ports: [{ containerPort: 80, name: "http" }, { containerPort: 443 }] }] },
    },
    patch: { spec: { containers: [{ name: "a", ports: [{ containerPort: 80, protocol: "TCP" }] }] } },
    result: {
      spec: {
        containers: [
          { name: "a", ports: [{ containerPort: 80, name: "http", protocol: "TCP" }, { containerPort: 443 }] },
        ],
      },
    },
  },
  {
    name: "$setElementOrder orders the list",
    document: { spec: { containers: [{ name: "a" }, { name: "b" }, { name: "c" }] } },
    patch: { spec: { "$setElementOrder/containers": [{ name: "c" }, { name: "a" }, { name: "b" }] } },
    result: { spec: { containers: [{ name: "c" }, { name: "a" }, { name: "b" }] } },
  },
  {
    name: "$setElementOrder puts a new element where it belongs",
    document: { spec: { containers: [{ name: "a" }, { name: "c" }] } },
    patch: {
      spec: {
        "$setElementOrder/containers": [{ name: "a" }, { name: "b" }, { name: "c" }],
        containers: [{ name: "b", image: "1" }],
      },
    },
    result: { spec: { containers: [{ name: "a" }, { name: "b", image: "1" }, { name: "c" }] } },
  },
  {
    name: "$setElementOrder lets elements only the server knows keep their place",
    document: { spec: { containers: [{ name: "sidecar" }, { name: "a" }, { name: "b" }] } },
    patch: {
      spec: { "$setElementOrder/containers": [{ name: "b" }, { name: "a" }], containers: [{ name: "a", image: "2" }] },
    },
    result: { spec: { containers: [{ name: "sidecar" }, { name: "b" }, { name: "a", image: "2" }] } },
  },
  {
    name: "$setElementOrder with a deletion, as kubectl apply sends it",
    document: { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    patch: { spec: { "$setElementOrder/containers": [{ name: "b" }], containers: [{ name: "a", $patch: "delete" }] } },
    result: { spec: { containers: [{ name: "b" }] } },
  },
  {
    name: "$setElementOrder for a list that neither side has changes nothing",
    document: { spec: {} },
    patch: { spec: { "$setElementOrder/containers": [{ name: "a" }] } },
    result: { spec: {} },
  },
  {
    name: "$setElementOrder for a list that is new orders it",
    document: { spec: {} },
    patch: {
      spec: {
        "$setElementOrder/containers": [{ name: "a" }, { name: "b" }],
        containers: [{ name: "a" }, { name: "b" }],
      },
    },
    result: { spec: { containers: [{ name: "a" }, { name: "b" }] } },
  },
  {
    name: "$retainKeys swaps the source of a volume",
    document: {
      spec: {
        volumes: [
          { name: "v", emptyDir: {} },
          { name: "w", emptyDir: {} },
        ],
      },
    },
    patch: {
      spec: {
        "$setElementOrder/volumes": [{ name: "v" }, { name: "w" }],
        volumes: [{ $retainKeys: ["name", "configMap"], name: "v", configMap: { name: "c" }, emptyDir: null }],
      },
    },
    result: {
      spec: {
        volumes: [
          { name: "v", configMap: { name: "c" } },
          { name: "w", emptyDir: {} },
        ],
      },
    },
  },
  {
    name: "a list is set to nothing by null",
    document: { spec: { containers: [{ name: "a" }] } },
    patch: { spec: { containers: null } },
    result: { spec: {} },
  },
  {
    name: "an empty patch list changes nothing",
    document: { spec: { containers: [{ name: "a" }] } },
    patch: { spec: { containers: [] } },
    result: { spec: { containers: [{ name: "a" }] } },
  },
];

const primitiveLists: Row[] = [
  {
    name: "primitives unite",
    document: { metadata: { finalizers: ["a", "b"] } },
    patch: { metadata: { finalizers: ["b", "c"] } },
    result: { metadata: { finalizers: ["a", "b", "c"] } },
  },
  {
    name: "duplicates go",
    document: { metadata: { finalizers: ["a", "a"] } },
    patch: { metadata: { finalizers: ["a"] } },
    result: { metadata: { finalizers: ["a"] } },
  },
  {
    name: "$deleteFromPrimitiveList removes values",
    document: { metadata: { finalizers: ["a", "b", "a"] } },
    patch: { metadata: { "$deleteFromPrimitiveList/finalizers": ["a", "z"] } },
    result: { metadata: { finalizers: ["b"] } },
  },
  {
    name: "$deleteFromPrimitiveList from nothing does nothing",
    document: { metadata: {} },
    patch: { metadata: { "$deleteFromPrimitiveList/finalizers": ["a"] } },
    result: { metadata: {} },
  },
  {
    name: "$deleteFromPrimitiveList with $setElementOrder and additions",
    document: { metadata: { finalizers: ["a", "b", "server"] } },
    patch: {
      metadata: {
        "$deleteFromPrimitiveList/finalizers": ["a"],
        "$setElementOrder/finalizers": ["c", "b"],
        finalizers: ["c"],
      },
    },
    result: { metadata: { finalizers: ["c", "b", "server"] } },
  },
];

const refused: { name: string; document: JsonObject; patch: unknown; code: number; message: string }[] = [
  { name: "a patch that is no object", document: {}, patch: [], code: 400, message: "invalid JSON document" },
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
    name: "$retainKeys that is no list",
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
    name: "$setElementOrder that is no list",
    document: {},
    patch: { spec: { "$setElementOrder/containers": {} } },
    code: 400,
    message: "invalid patch format of setElementOrder list",
  },
  {
    name: "$setElementOrder against the patch's own order",
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
    name: "$deleteFromPrimitiveList that is no list",
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
  test.each([...scalarsAndMaps, ...objectLists, ...primitiveLists])("$name", (row) => {
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

  test("the functions are those the pipeline calls", () => {
    const ports = patch;
    expect(Object.keys(ports).toSorted()).toEqual(["applyJsonPatch", "applyMergePatch", "applyStrategicMergePatch"]);
  });

  test("the result shares nothing with document or patch", () => {
    const document = { spec: { containers: [{ name: "a", env: [{ name: "X" }] }] } };
    const change = { spec: { containers: [{ name: "b", command: ["run"] }] } };
    const result = patch.applyStrategicMergePatch(document, change, deployment);
    assertSharesNothing(result, document);
    assertSharesNothing(result, change);
  });

  test("a list of 20,000 primitives merges with another in well under a second of work", () => {
    const values = Array.from({ length: 20_000 }, (_, index) => `f-${index}`);
    const document = { metadata: { finalizers: values } };
    const change = { metadata: { "$setElementOrder/finalizers": values.toReversed(), finalizers: values.slice(0, 1) } };
    const result = patch.applyStrategicMergePatch(document, change, deployment);
    expect((result["metadata"] as JsonObject)["finalizers"]).toEqual(values.toReversed());
  }, 5_000);

  test("applying a patch without deletions twice is the same as once", () => {
    fc.assert(
      fc.property(arbitraryDeployment(), arbitraryDeployment(), (document, change) => {
        const once = patch.applyStrategicMergePatch(document, change, deployment);
        expect(patch.applyStrategicMergePatch(once, change, deployment)).toEqual(once);
      }),
    );
  });

  test("every element of patch and document is there once, with the patch's members", () => {
    fc.assert(
      fc.property(arbitraryDeployment(), arbitraryDeployment(), (document, change) => {
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

function errorOf(action: () => unknown): ApiError {
  try {
    action();
  } catch (error) {
    if (error instanceof ApiError) {
      return error;
    }
    throw error;
  }
  throw new Error("nothing was refused");
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}
