import { expect, test } from "vitest";
import { anObject } from "../../../validation/testing/an-object.ts";
import { validateCreate, validateUpdate } from "../../../validation/validate.ts";
import { controllerRevisionKind as kind } from "./controller-revision-kind.ts";

const data = { spec: { template: { $patch: "replace", metadata: { creationTimestamp: null } } } };

test.each([
  ["is valid with its data", { data, revision: 1 }, []],
  ["needs data", { revision: 1 }, ["data: Required value: data is mandatory"]],
  [
    "cannot have a negative number",
    { data, revision: -1 },
    ["revision: Invalid value: -1: must be greater than or equal to 0"],
  ],
])("a revision %s", (_name, body, expected) => {
  const faults = validateCreate(kind, anObject(kind, body));
  expect(faults.map(({ field, message }) => `${field}: ${message}`)).toEqual(expected);
});

test("a revision keeps its data unchanged", () => {
  expect(JSON.stringify(anObject(kind, { data, revision: 1 }).data)).toBe(JSON.stringify(data));
});

test("a revision's data never reaches a prototype", () => {
  const hostile = JSON.parse('{"spec":[{"__proto__":{"admin":true}}]}') as object;
  expect(() => anObject(kind, { data: hostile, revision: 1 })).toThrow('the field name "__proto__" is not allowed');
});

test("a revision may get another number, but no other data", () => {
  const [before, renumbered, changed] = [
    { data, revision: 1 },
    { data, revision: 2 },
    { data: { a: 1 }, revision: 1 },
  ].map((body) => anObject(kind, { ...body, metadata: { resourceVersion: "1" } })) as [never, never, never];
  expect(validateUpdate(kind, { before, after: renumbered })).toEqual([]);
  expect(validateUpdate(kind, { before, after: changed }).map(({ message }) => message)).toEqual([
    'Invalid value: {"a":1}: field is immutable',
  ]);
});
