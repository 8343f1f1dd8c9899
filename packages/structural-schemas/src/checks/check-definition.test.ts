import type { CustomResourceDefinition, JsonSchema } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { checkSchemas } from "./check-definition.ts";

const path = "spec.versions[0].schema.openAPIV3Schema";

function definitionOf(schema: JsonSchema, more: object = {}): CustomResourceDefinition {
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more };
  return { metadata: {}, spec: { versions: [version] } } as unknown as CustomResourceDefinition;
}

function faultsOf(schema: JsonSchema, more?: object): string[] {
  return checkSchemas(definitionOf(schema, more), undefined).map(({ field, message }) =>
    `${field}: ${message}`.replaceAll(path, ""),
  );
}

const below = (a: JsonSchema): JsonSchema => ({ type: "object", properties: { a } });
const list = (more: JsonSchema, items: JsonSchema): JsonSchema => below({ type: "array", items, ...more });

describe("a schema is rejected in upstream's words", () => {
  test.each<[string, JsonSchema, string[]]>([
    ["sound", below({ type: "string" }), []],
    ["no type at the root", {}, [".type: Required value: must not be empty at the root"]],
    [
      "a list at the root",
      { type: "array", items: { type: "string" } },
      ['.type: Invalid value: "array": must be object at the root'],
    ],
    [
      "no type of a field",
      below({}),
      [".properties[a].type: Required value: must not be empty for specified object fields"],
    ],
    [
      "unknown type",
      below({ type: "text" }),
      [
        '.properties[a].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
      ],
    ],
    ["no items", below({ type: "array" }), [".properties[a].items: Required value: must be specified"]],
    [
      "type in a condition",
      below({ type: "string", anyOf: [{ type: "string" }] }),
      [".properties[a].anyOf[0].type: Forbidden: must be empty to be structural"],
    ],
    [
      "int or string",
      below({ "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] }),
      [],
    ],
    [
      "a condition about an undeclared field",
      { type: "object", properties: {}, anyOf: [{ properties: { b: { minimum: 1 } } }] },
      [`.properties[b]: Required value: because it is defined in ${path}.anyOf[0].properties[b]`.replaceAll(path, "")],
    ],
    [
      "lookahead",
      below({ type: "string", pattern: "(?=a)" }),
      [
        expect.stringContaining(
          '.properties[a].pattern: Invalid value: "(?=a)": must be a valid regular expression, but isn\'t: ',
        ) as string,
      ],
    ],
    [
      "unique items",
      below({ type: "array", items: { type: "string" }, uniqueItems: true }),
      [
        ".properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
      ],
    ],
    [
      "a reference to itself",
      below({ type: "object", $ref: "#" }),
      [".properties[a].$ref: Forbidden: $ref is not supported"],
    ],
    [
      "both kinds of members",
      below({ type: "object", properties: { b: { type: "string" } }, additionalProperties: { type: "string" } }),
      [".properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"],
    ],
    [
      "default of an invalid type",
      below({ type: "integer", default: "x" }),
      [expect.stringContaining('.properties[a].default: Invalid value: "string"') as string],
    ],
    [
      "default with unknown fields",
      below({ type: "object", default: { b: 1 } }),
      ['.properties[a].default: Invalid value: {"b":1}: must not have unknown fields'],
    ],
    [
      "default of metadata",
      { type: "object", properties: { metadata: { type: "object", default: {} } } },
      [
        ".properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
        ".properties[metadata].default: Forbidden: must not be set in top-level metadata",
      ],
    ],
    [
      "preserve false",
      below({ type: "object", "x-kubernetes-preserve-unknown-fields": false }),
      [".properties[a].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined"],
    ],
    [
      "list type of an object",
      below({ type: "object", "x-kubernetes-list-type": "set" }),
      ['.properties[a].type: Invalid value: "object": must be array if x-kubernetes-list-type is specified'],
    ],
    [
      "set of objects",
      list({ "x-kubernetes-list-type": "set" }, { type: "object" }),
      [
        ".properties[a].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set",
      ],
    ],
    [
      "map without keys",
      list({ "x-kubernetes-list-type": "map" }, { type: "object" }),
      [".properties[a].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map"],
    ],
    [
      "key that may be missing",
      list({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] }, below({ type: "string" })),
      ['.properties[a].x-kubernetes-list-map-keys: Invalid value: ["k"]: entries must all be names of item properties'],
    ],
    [
      "embedded without object",
      below({ type: "string", "x-kubernetes-embedded-resource": true }),
      [
        '.properties[a].type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true',
        ".properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      ],
    ],
    [
      "rule without text",
      below({ type: "string", "x-kubernetes-validations": [{ rule: " " }] }),
      [".properties[a].x-kubernetes-validations[0].rule: Required value: rule is not specified"],
    ],
    [
      "nullable root",
      { type: "object", nullable: true },
      [".nullable: Forbidden: nullable cannot be true at the root"],
    ],
  ])("%s", (_name, schema, expected) => {
    expect(faultsOf(schema)).toEqual(expected);
  });

  test("the root has no conditions next to a status", () => {
    expect(faultsOf({ type: "object", oneOf: [{ required: ["a"] }] }, { subresources: { status: {} } })[0]).toContain(
      "fields are allowed at the root of the schema if the status subresource is enabled",
    );
  });

  test("selectable fields are scalars outside of metadata", () => {
    const schema = { type: "object", properties: { spec: below({ type: "string" }) } };
    const fields = [".spec.a", ".spec", ".spec.b", ".metadata.name", ""].map((jsonPath) => ({ jsonPath }));
    expect(faultsOf(schema, { selectableFields: fields }).map((text) => text.slice(29, 80))).toEqual(
      [
        '[1].jsonPath: Invalid value: ".spec": must point to',
        '[2].jsonPath: Invalid value: ".spec.b": is an invali',
        '[3].jsonPath: Invalid value: ".metadata.name": is an',
        "[4].jsonPath: Required value",
      ].map((text) => expect.stringContaining(text.slice(4, 40)) as string),
    );
  });
});

test("an unchanged version is not checked again", () => {
  const broken = definitionOf({});
  expect(checkSchemas(broken, broken)).toEqual([]);
  expect(checkSchemas(broken, definitionOf({ type: "object" }))).toHaveLength(1);
});

test("a schema of a hundred thousand faults is rejected immediately", () => {
  const properties = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`p${index}`, {}]));
  expect(faultsOf({ type: "object", properties }).length).toBeLessThan(210);
});

describe("the patterns and rules that a definition compiles have a limit", () => {
  const nested = (index: number) => `^${index}${"(a{1,30}){1,30}".repeat(3)}$`;

  test("patterns are counted before any program is compiled", () => {
    const before = process.cpuUsage();
    const properties = Object.fromEntries(
      Array.from({ length: 700 }, (_, index) => [`p${index}`, { type: "string", pattern: nested(index) } as const]),
    );
    const faults = checkSchemas(definitionOf({ type: "object", properties }), undefined);
    expect(faults).toHaveLength(1);
    expect(faults[0]?.message).toMatch(
      /^Forbidden: the patterns need programs of \d+ instructions together, more than 50000: use fewer or smaller/,
    );
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(500);
  });

  test("a single pattern has a limit, and the same pattern counts once", () => {
    const huge = below({ type: "string", pattern: `^${"(a{1,30}){1,30}".repeat(60)}$` });
    expect(faultsOf(huge).join()).toContain("instructions together, more than 50000");
    expect(faultsOf(below({ type: "string", pattern: "(a{1,30}){1,30}".repeat(13) })).join()).toContain(
      "must be a valid regular expression, but isn't: pattern needs a program of",
    );
    const properties = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`p${index}`, { type: "string", pattern: nested(1) } as const]),
    );
    expect(faultsOf({ type: "object", properties })).toEqual([]);
  });

  test("rules are counted, and repeated rules count less", () => {
    const rules = (count: number, differs: boolean) => ({
      ...below({ type: "string" }),
      "x-kubernetes-validations": Array.from({ length: count }, (_, index) => ({
        rule: `${"self.a != 'b' && ".repeat(35)}self.a != '${differs ? index : 0}'`,
      })),
    });
    expect(faultsOf(rules(200, false))).toEqual([]);
    expect(faultsOf(rules(500, false)).length).toBeGreaterThan(0);
    const faults = faultsOf(rules(1500, true));
    expect(faults[0]).toContain("Forbidden: the expressions of the object are longer than 32768 characters together");
  });
});

describe("the cost of a rule assumes the values that fit into a request", () => {
  const named = (more: JsonSchema = {}): JsonSchema => ({
    type: "object",
    properties: { name: { type: "string", "x-kubernetes-validations": [{ rule: "self != ''" }], ...more } },
  });

  test.each([
    ["two lists without limits", list({}, below({ type: "array", items: named() }))],
    ["three", list({}, list({}, below({ type: "array", items: named() })))],
    ["a map of lists", below({ type: "object", additionalProperties: { type: "array", items: named() } })],
    [
      "a limited list around a list without a limit",
      list({ maxItems: 1000 }, below({ type: "array", items: named() })),
    ],
  ])("%s", (_, schema) => {
    expect(faultsOf(schema)).toEqual([]);
  });

  test("and limits multiply if all enclosing lists have one", () => {
    const schema = list({ maxItems: 10_000 }, below({ type: "array", maxItems: 10_000, items: named() }));
    expect(faultsOf(schema).join()).toContain("estimated rule cost exceeds budget by factor of");
    expect(faultsOf(list({ maxItems: 100 }, below({ type: "array", maxItems: 100, items: named() })))).toEqual([]);
  });
});
