import type { JsonSchema } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { openApiOf } from "./open-api.ts";

const size = { type: "integer", nullable: true } as const;

test("version 3 has the complete schema, and version 2 nothing that its clients would misread", () => {
  const schema = { type: "object", properties: { size }, oneOf: [{ required: ["size"] }] } as const;
  expect(openApiOf(schema, 3)).toMatchObject({ type: "object", properties: { size }, oneOf: [{ required: ["size"] }] });
  const shown = openApiOf(schema, 2);
  expect(shown).toMatchObject({ type: "object", properties: { size: {}, metadata: {} } });
  expect(shown["oneOf"]).toBeUndefined();
});

test("version 2 shows no fields of an object that keeps unknown fields, because clients would reject all others", () => {
  const open = { type: "object", properties: { size }, "x-kubernetes-preserve-unknown-fields": true } as const;
  expect(openApiOf(open, 2)).toEqual({ type: "object" });
  expect(openApiOf(open, 3)).toMatchObject({ properties: { size } });
});

/**
 * Reads a schema as the clients' library does (k8s.io/kube-openapi/pkg/util/proto): the first fault
 * stops the client's whole operation, for any kind.
 */
function faultsOfReader(schema: JsonSchema, path: string): string[] {
  const { type, items, properties, additionalProperties } = schema;
  const parts = [
    ...Object.entries(properties ?? {}).flatMap(([name, part]) => faultsOfReader(part, `${path}.${name}`)),
    ...(items === undefined || Array.isArray(items) ? [] : faultsOfReader(items as JsonSchema, `${path}[]`)),
    ...(typeof additionalProperties === "object" ? faultsOfReader(additionalProperties, `${path}{}`) : []),
  ];
  const own = [
    type === "array" && (items === undefined || Array.isArray(items)) && "array should have exactly one sub-item",
    type !== "array" && items !== undefined && "only an array has items",
    type !== "object" && properties !== undefined && "only an object has properties",
    type !== "object" && additionalProperties !== undefined && "only an object has values",
    properties !== undefined && additionalProperties !== undefined && "fields and values stand side by side",
    ["allOf", "anyOf", "oneOf", "not", "nullable"].some((field) => field in schema) && "a field of version 3",
    properties !== undefined &&
      (schema.required ?? []).some((name) => properties[name] === undefined) &&
      "a required field is not declared",
  ].flatMap((fault) => (fault === false ? [] : [`${path}: ${fault}`]));
  return [...own, ...parts];
}

describe("version 2 is parsed by a strict parser, whatever the shape of the definition", () => {
  const keepsUnknown = { "x-kubernetes-preserve-unknown-fields": true } as const;
  const name = { type: "string" } as const;
  // The shapes of backup, certificate, monitoring, workflow, mesh, gateway and database operators.
  const shapes: Readonly<Record<string, JsonSchema>> = {
    "a list that keeps unknown items": { type: "array", items: { type: "object", ...keepsUnknown }, ...keepsUnknown },
    "a list of items that keep unknown fields": { type: "array", items: { type: "object", ...keepsUnknown } },
    "a nullable list": { type: "array", nullable: true, items: name },
    "a nullable object": { type: "object", nullable: true, properties: { name }, required: ["name"] },
    "a nullable map of nullable lists": {
      type: "object",
      nullable: true,
      additionalProperties: { type: "array", nullable: true, items: name },
    },
    "a required field that may be null": {
      type: "object",
      properties: { name: { ...name, nullable: true }, other: name },
      required: ["name", "other"],
    },
    "a map whose values may be null": {
      type: "object",
      additionalProperties: { ...name, nullable: true },
    },
    "an object that keeps unknown fields": { type: "object", properties: { name }, ...keepsUnknown },
    "any value": { ...keepsUnknown },
    "an integer or a text": { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
    "a nested object of the API": {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      properties: { spec: { type: "object", ...keepsUnknown } },
    },
    "one of several fields": {
      type: "object",
      properties: { a: name, b: name },
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
    },
    "a list as a map": {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: { type: "object", properties: { name }, required: ["name"] },
    },
    "lists in lists": { type: "array", items: { type: "array", items: { type: "array", items: name } } },
  };

  test.each(Object.entries(shapes))("%s", (_, shape) => {
    const places = {
      direct: shape,
      inList: { type: "array", items: shape },
      inMap: { type: "object", additionalProperties: shape },
    };
    const schema = { type: "object", properties: { spec: { type: "object", properties: places } } } as JsonSchema;
    const shown = openApiOf(schema, 2) as { properties: { spec: JsonSchema } };
    expect(faultsOfReader(shown.properties.spec, "spec")).toEqual([]);
    // The schema itself is unchanged.
    expect(openApiOf(schema, 3)).toMatchObject({ properties: { spec: { properties: places } } });
  });

  test("types of parts that keep unknown fields are removed, as in upstream's ToStructuralOpenAPIV2", () => {
    const schema: JsonSchema = {
      type: "object",
      properties: {
        list: shapes["a list that keeps unknown items"] as JsonSchema,
        object: shapes["an object that keeps unknown fields"] as JsonSchema,
        required: shapes["a required field that may be null"] as JsonSchema,
      },
    };
    expect(openApiOf(schema, 2)).toMatchObject({
      properties: { list: { ...keepsUnknown }, object: { ...keepsUnknown }, required: { required: ["other"] } },
    });
    const { properties } = openApiOf(schema, 2) as { properties: Record<string, JsonSchema> };
    expect(properties["list"]).toEqual(keepsUnknown);
    expect(properties["object"]).toEqual(keepsUnknown);
  });
});
