import { describe, expect, test } from "vitest";
import { deepFreeze } from "../testing/refusals.ts";
import * as patch from "./index.ts";
import { deployment, type MergeRow } from "./testing/strategic-merge-types.ts";

const objectLists: MergeRow[] = [
  {
    name: "elements with the same key merge",
    document: { spec: { containers: [{ name: "a", image: "1", command: ["x"] }] } },
    patch: { spec: { containers: [{ name: "a", image: "2" }] } },
    result: { spec: { containers: [{ name: "a", image: "2", command: ["x"] }] } },
  },
  {
    name: "a new element is inserted first, as upstream inserts it",
    document: { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    patch: { spec: { containers: [{ name: "c" }] } },
    result: { spec: { containers: [{ name: "c" }, { name: "a" }, { name: "b" }] } },
  },
  {
    name: "elements that the patch names get the patch's order, and every other element stays before its former successor",
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
    name: "$patch: delete of a missing element changes nothing",
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
    name: "directives in a new list are removed",
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
    name: "lists inside elements are merged, including lists whose key is a number",
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
    name: "$setElementOrder inserts a new element at its position",
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
    name: "$setElementOrder keeps the positions of elements that only the server has",
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
    name: "$setElementOrder for a new list orders it",
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
    name: "null removes a list",
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

const primitiveLists: MergeRow[] = [
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
    name: "$deleteFromPrimitiveList for a missing list changes nothing",
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

describe("strategic merge patch of a list", () => {
  test.each([...objectLists, ...primitiveLists])("$name", (row) => {
    const before = structuredClone([row.document, row.patch]);
    expect(patch.applyStrategicMergePatch(deepFreeze(row.document), deepFreeze(row.patch), deployment)).toEqual(
      row.result,
    );
    expect([row.document, row.patch]).toEqual(before);
  });
});
