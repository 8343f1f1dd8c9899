import { collectFaults, type JsonSchema, type JsonObject, type JsonValue } from "@kintsugi/api";
import { withinLimits } from "@kintsugi/api/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { coerceEmbedded, validateEmbedded } from "./embedded-objects.ts";
import { hasFormat } from "./formats.ts";
import { newBudget } from "./place.ts";
import { pruneUnknown } from "./prune.ts";
import { setDefaults } from "./set-defaults.ts";
import { validateLists } from "./validate-lists.ts";
import { validateValue } from "./validate-value.ts";

const ofSpec = (spec: JsonSchema): JsonSchema => ({ type: "object", properties: { spec } });

function faultsOf(spec: JsonSchema, value: JsonValue, before?: JsonValue): string[] {
  const place = { schema: ofSpec(spec), path: "", value: { spec: value }, budget: newBudget() };
  const old = before === undefined ? {} : { before: { spec: before } };
  return collectFaults((faults) => {
    validateValue({ ...place, ...old }, faults);
    validateLists({ ...place, ...old }, faults);
  }).map(({ field, message }) => `${field}: ${message}`);
}

describe("a value is rejected in upstream's words", () => {
  test.each<[string, JsonSchema, JsonValue, string[]]>([
    [
      "type",
      { type: "integer" },
      "a",
      ['spec: Invalid value: "string": spec in body must be of type integer: "string"'],
    ],
    ["null", { type: "string" }, null, ['spec: Invalid value: "null": spec in body must be of type string: "null"']],
    ["nullable", { type: "string", nullable: true }, null, []],
    [
      "fraction",
      { type: "integer" },
      1.5,
      ['spec: Invalid value: "number": spec in body must be of type integer: "number"'],
    ],
    ["number", { type: "number" }, 1, []],
    ["enum", { type: "string", enum: ["a", "b"] }, "c", ['spec: Unsupported value: "c": supported values: "a", "b"']],
    [
      "maximum",
      { type: "integer", maximum: 3, exclusiveMaximum: true },
      3,
      ["spec: Invalid value: 3: spec in body should be less than 3"],
    ],
    [
      "minimum",
      { type: "integer", minimum: 3 },
      2,
      ["spec: Invalid value: 2: spec in body should be greater than or equal to 3"],
    ],
    [
      "multiple",
      { type: "number", multipleOf: 0.1 },
      0.25,
      ["spec: Invalid value: 0.25: spec in body should be a multiple of 0.1"],
    ],
    ["multiple of a fraction", { type: "number", multipleOf: 0.1 }, 0.3, []],
    ["too long", { type: "string", maxLength: 2 }, "abc", ["spec: Too long: may not be more than 2 bytes"]],
    ["characters beyond the basic plane", { type: "string", maxLength: 2 }, "🙂🙂", []],
    [
      "too short",
      { type: "string", minLength: 2 },
      "a",
      ['spec: Invalid value: "a": spec in body should be at least 2 chars long'],
    ],
    [
      "pattern",
      { type: "string", pattern: "^a+$" },
      "b",
      ["spec: Invalid value: \"b\": spec in body should match '^a+$'"],
    ],
    ["pattern without anchors", { type: "string", pattern: "b" }, "abc", []],
    [
      "format",
      { type: "string", format: "date-time" },
      "x",
      ['spec: Invalid value: "x": spec in body must be of type date-time: "x"'],
    ],
    ["required", { type: "object", required: ["a"] }, {}, ["spec.a: Required value"]],
    ["too many items", { type: "array", maxItems: 1 }, [1, 2], ["spec: Too many: 2: must have at most 1 items"]],
    [
      "too few items",
      { type: "array", minItems: 1 },
      [],
      ["spec: Invalid value: []: spec in body should have at least 1 items"],
    ],
    [
      "too few properties",
      { type: "object", minProperties: 1 },
      {},
      ["spec: Invalid value: {}: spec in body should have at least 1 properties"],
    ],
    [
      "item",
      { type: "array", items: { type: "string" } },
      ["a", 1],
      ['spec[1]: Invalid value: "integer": spec[1] in body must be of type string: "integer"'],
    ],
    [
      "map",
      { type: "object", additionalProperties: { type: "string" } },
      { a: 1 },
      ['spec.a: Invalid value: "integer": spec.a in body must be of type string: "integer"'],
    ],
    [
      "int or string",
      { "x-kubernetes-int-or-string": true },
      true,
      ['spec: Invalid value: "boolean": spec in body must be of type integer,string: "boolean"'],
    ],
    [
      "oneOf none",
      { oneOf: [{ required: ["a"] }, { required: ["b"] }] },
      {},
      ['<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid'],
    ],
    [
      "oneOf both",
      { oneOf: [{ required: ["a"] }, { required: ["b"] }] },
      { a: 1, b: 1 },
      ['<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ],
    [
      "anyOf",
      { anyOf: [{ maximum: 1 }, { minimum: 5 }] },
      3,
      ['<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)'],
    ],
    ["not", { not: { minimum: 1 } }, 3, ['<nil>: Invalid value: "": "spec" must not validate the schema (not)']],
    [
      "set",
      { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
      ["a", "a"],
      ['spec[1]: Duplicate value: "a"'],
    ],
    [
      "map list",
      {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        items: { type: "object" },
      },
      [
        { k: "a", v: 1 },
        { k: "a", v: 2 },
      ],
      ['spec[1]: Duplicate value: {"k":"a"}'],
    ],
  ])("%s", (_name, schema, value, expected) => {
    expect(faultsOf(schema, value)).toEqual(expected);
  });
});

describe("unchanged values are not validated again", () => {
  const items: JsonSchema = { type: "object", properties: { v: { type: "integer", maximum: 1 } } };
  const mapList = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] };

  test("of an object, its members one by one", () => {
    const schema: JsonSchema = { type: "object", properties: { a: { maximum: 1 }, b: { maximum: 1 } } };
    expect(faultsOf(schema, { a: 5, b: 1 }, { a: 5, b: 0 })).toEqual([]);
    expect(faultsOf(schema, { a: 6, b: 1 }, { a: 5, b: 1 })).toHaveLength(1);
  });

  test("of a list of type map its items by their keys, and of other lists only the whole list", () => {
    const before = [{ k: "a", v: 5 }];
    const after = [
      { k: "b", v: 1 },
      { k: "a", v: 5 },
    ];
    expect(faultsOf({ type: "array", items, ...mapList }, after, before)).toEqual([]);
    expect(faultsOf({ type: "array", items }, after, before)).toHaveLength(1);
    expect(faultsOf({ type: "array", items }, before, before)).toEqual([]);
  });
});

test("the evaluation of conditions that inspect a value repeatedly ends", () => {
  const inner: JsonSchema = { items: { anyOf: Array.from({ length: 200 }, () => ({ pattern: "x" })) } };
  const schema: JsonSchema = { type: "array", anyOf: Array.from({ length: 200 }, () => inner) };
  const value = Array.from({ length: 200 }, () => "a");
  expect(() => faultsOf(schema, value)).toThrow("validation by the schema takes more than 2000000 steps");
});

test("nested allOf are visited once each", () => {
  let schema: JsonSchema = { minimum: 1 };
  for (let depth = 0; depth < 40; depth++) schema = { allOf: [schema] };
  expect(faultsOf(schema, 0).length).toBeGreaterThan(1);
});

describe("pruning", () => {
  test("keeps declared members, and unknown members where the schema specifies it", () => {
    const schema = ofSpec({
      type: "object",
      properties: {
        a: { type: "string" },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { b: { type: "object" } } },
        map: { type: "object", additionalProperties: { type: "object", properties: { c: { type: "string" } } } },
        list: { type: "array", items: { type: "object", properties: { d: { type: "string" } } } },
        embedded: { type: "object", "x-kubernetes-embedded-resource": true, properties: {} },
      },
    });
    const object: JsonObject = {
      apiVersion: "v1",
      kind: "K",
      metadata: { name: "a", labels: { any: "thing" } },
      other: 1,
      spec: {
        a: "x",
        unknown: 1,
        free: { x: { y: 1 }, b: { gone: 1 } },
        map: { key: { c: "c", gone: 1 } },
        list: [{ d: "d", gone: 1 }],
        embedded: { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, gone: 1 },
        constructor: { name: "evil" },
      },
    };
    pruneUnknown(object, schema);
    expect(object).toEqual({
      apiVersion: "v1",
      kind: "K",
      metadata: { name: "a", labels: { any: "thing" } },
      spec: {
        a: "x",
        free: { x: { y: 1 }, b: {} },
        map: { key: { c: "c" } },
        list: [{ d: "d" }],
        embedded: { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } },
      },
    });
  });
});

test("defaults replace missing members and nulls that are not nullable, and other nulls are removed", () => {
  const schema = ofSpec({
    type: "object",
    default: {},
    properties: {
      a: { type: "string", default: "A" },
      b: { type: "string", nullable: true, default: "B" },
      c: { type: "string" },
      d: { type: "object", properties: { e: { type: "integer", default: 1 } } },
    },
  });
  const object: JsonObject = {};
  setDefaults(object, schema);
  expect(object).toEqual({ spec: { a: "A", b: "B" } });
  const nulls: JsonObject = { spec: { a: null, b: null, c: null, d: {} } };
  setDefaults(nulls, schema);
  expect(nulls).toEqual({ spec: { a: "A", b: null, d: { e: 1 } } });
});

describe("an embedded object", () => {
  const schema = ofSpec({
    type: "object",
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-preserve-unknown-fields": true,
  });

  test("has metadata in its own shape, without hidden fields", () => {
    const metadata = { name: "a", hidden: 1, labels: { a: "b" }, annotations: 5, ownerReferences: [{ hidden: 1 }] };
    const object: JsonObject = { spec: { apiVersion: "v1", kind: "Pod", metadata } };
    coerceEmbedded(object, schema);
    expect((object["spec"] as JsonObject)["metadata"]).toEqual({
      name: "a",
      labels: { a: "b" },
      ownerReferences: [{ kind: "", name: "", uid: "", apiVersion: "" }],
    });
  });

  test("is an object of the API", () => {
    const faults = (spec: JsonObject) =>
      collectFaults((found) => validateEmbedded({ spec }, schema, found)).map(({ field }) => field);
    expect(faults({ metadata: { labels: { "a b": "c" } } })).toEqual([
      "spec.apiVersion",
      "spec.kind",
      "spec.metadata.labels",
    ]);
    expect(faults({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" } })).toEqual([]);
  });
});

const anySchema: fc.Arbitrary<JsonSchema> = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.record(
      { type: fc.constant("string"), default: fc.constantFrom("a", "b"), nullable: fc.boolean() },
      { requiredKeys: ["type"] },
    ),
    fc.record({ type: fc.constant("integer") }),
    fc.record({ type: fc.constant("array"), items: tie("schema") }),
    fc.record({ type: fc.constant("object"), additionalProperties: tie("schema") }),
    fc.record({
      type: fc.constant("object"),
      properties: fc.dictionary(fc.constantFrom("a", "b", "c", "constructor"), tie("schema")),
      "x-kubernetes-preserve-unknown-fields": fc.constantFrom(true, undefined),
    }),
  ),
})).schema;

test("pruning and defaulting a second time change nothing", () => {
  const values = fc.dictionary(fc.constantFrom("spec", "b"), fc.jsonValue({ maxDepth: 4 }));
  fc.assert(
    fc.property(
      anySchema,
      values,
      withinLimits((spec, value) => {
        const object = structuredClone(value) as JsonObject;
        pruneUnknown(object, ofSpec(spec));
        setDefaults(object, ofSpec(spec));
        const once = structuredClone(object);
        pruneUnknown(object, ofSpec(spec));
        setDefaults(object, ofSpec(spec));
        expect(object).toEqual(once);
      }),
    ),
    { numRuns: 500 },
  );
});

describe("formats", () => {
  test.each([
    [
      "date-time",
      ["2026-01-02T03:04:05Z", "2024-02-29T03:04:05.123+02:00"],
      ["2026-02-29T00:00:00Z", "2026-01-02", "2026-01-02T25:00:00Z"],
    ],
    ["date", ["2026-01-31"], ["2026-13-01", "26-1-1"]],
    ["duration", ["1h30m", "0", "1.5s"], ["1", "h", "1x"]],
    ["ipv4", ["10.0.0.1"], ["10.0.0", "256.1.1.1", "01.1.1.1"]],
    ["ipv6", ["::1", "fe80::1:2", "::ffff:10.0.0.1"], ["1::2::3", "g::1", ":1", "1:2:3:4:5:6:7"]],
    ["cidr", ["10.0.0.0/8", "fd00::/64"], ["10.0.0.0", "10.0.0.0/33"]],
    ["uuid", ["123e4567-e89b-12d3-a456-426614174000"], ["123e4567"]],
    ["email", ["a@b.c"], ["a", "@b"]],
    ["hostname", ["a.b-c.d"], ["-a", "a..b"]],
    ["uri", ["https://a/b", "/a"], ["a", ""]],
    ["byte", ["eA=="], ["x"]],
    ["mac", ["00:1b:44:11:3a:b7"], ["00:1b"]],
    ["unknown", ["anything"], []],
  ])("%s", (format, valid, invalid) => {
    expect(valid.filter((text) => !hasFormat(text, format))).toEqual([]);
    expect(invalid.filter((text) => hasFormat(text, format))).toEqual([]);
  });
});
