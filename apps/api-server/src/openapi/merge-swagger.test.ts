import { expect, test } from "vitest";
import { mergeSwagger, swaggerBelow } from "./merge-swagger.ts";

const ref = (name: string) => ({ $ref: `#/definitions/${name}` });
const getting = (name: string) => ({
  get: { operationId: name, responses: { "200": { description: "OK", schema: ref(name) } } },
});
const lamp = { type: "object", properties: { meta: ref("Meta"), parts: { type: "array", items: ref("Part") } } };
const document = {
  swagger: "2.0",
  paths: { "/apis/lamps/v1/lamps": getting("Lamp"), "/apis/others/v1/x": getting("Other"), "/healthz": {} },
  definitions: {
    Lamp: lamp,
    Meta: { type: "object", properties: { age: { type: "integer" } } },
    Part: { type: "object", properties: { whole: ref("Lamp") } },
    Other: { type: "object" },
  },
};
const read = (text: string) => swaggerBelow(text, "/apis/lamps/v1");

test("another server's document contributes its version's paths and the types that they need", () => {
  const part = read(JSON.stringify(document));
  expect(Object.keys(part?.paths ?? {})).toEqual(["/apis/lamps/v1/lamps"]);
  expect(Object.keys(part?.definitions ?? {}).toSorted()).toEqual(["Lamp", "Meta", "Part"]);
});

test.each(["", "[]", "null", "{}", '{"paths":{"/apis/lamps/v1/x":7}}', "[".repeat(100_000)])(
  "the document %.40s adds nothing",
  (text) => {
    expect(read(text)).toBeUndefined();
  },
);

test("a document without a protobuf form adds nothing", () => {
  const paths = { "/apis/lamps/v1/lamps": { get: { operationId: { a: 1 }, responses: {} } } };
  expect(read(JSON.stringify({ ...document, paths }))).toBeUndefined();
});

test("equal types of the same name are merged, and a different type gets another name", () => {
  const part = read(JSON.stringify(document));
  if (part === undefined) throw new Error("it has paths");
  const own = {
    swagger: "2.0",
    paths: { "/api/v1/pods": {} },
    definitions: {
      Meta: { type: "object", properties: { name: { type: "string" } } },
      Part: document.definitions.Part,
    },
  };
  const merged = mergeSwagger(own, [part, part]);
  expect(Object.keys(merged["paths"] as object)).toEqual(["/api/v1/pods", "/apis/lamps/v1/lamps"]);
  const definitions = merged["definitions"] as Record<string, typeof lamp>;
  expect(Object.keys(definitions).filter((name) => name.startsWith("Meta"))).toEqual(["Meta", "Meta_v2"]);
  expect(definitions["Lamp"]?.properties.meta).toEqual(ref("Meta_v2"));
  expect(mergeSwagger(own, [])).toBe(own);
});
