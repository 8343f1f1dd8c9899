import { expect, test } from "vitest";
import { openApiOf } from "./open-api.ts";

const size = { type: "integer", nullable: true } as const;

test("version 3 has all of a schema, version 2 nothing that its clients would misread", () => {
  const schema = { type: "object", properties: { size }, oneOf: [{ required: ["size"] }] } as const;
  expect(openApiOf(schema, 3)).toMatchObject({ type: "object", properties: { size }, oneOf: [{ required: ["size"] }] });
  const shown = openApiOf(schema, 2);
  expect(shown).toMatchObject({ type: "object", properties: { size: {}, metadata: {} } });
  expect(shown["oneOf"]).toBeUndefined();
});

test("version 2 shows no field of an object that keeps unknown ones: clients would refuse all others", () => {
  const open = { type: "object", properties: { size }, "x-kubernetes-preserve-unknown-fields": true } as const;
  expect(openApiOf(open, 2)).toEqual({ type: "object" });
  expect(openApiOf(open, 3)).toMatchObject({ properties: { size } });
});
