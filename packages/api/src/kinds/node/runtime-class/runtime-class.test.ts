import { expect, test } from "vitest";
import { anObject } from "../../../validation/testing/an-object.ts";
import { validateCreate, validateUpdate } from "../../../validation/validate.ts";
import { runtimeClassKind } from "./runtime-class-kind.ts";

const faultsOf = (body: object): string[] =>
  validateCreate(runtimeClassKind, anObject(runtimeClassKind, body)).map(
    ({ field, message }) => `${field}: ${message}`,
  );

const toleration = { key: "a", operator: "Exists" };

test("a class with overhead and scheduling rules is valid", () => {
  const scheduling = { nodeSelector: { a: "b" }, tolerations: [toleration] };
  expect(faultsOf({ handler: "kata", overhead: { podFixed: { memory: "64Mi" } }, scheduling })).toEqual([]);
});

test("handlers are DNS labels, amounts are not negative, and tolerations are unique", () => {
  const scheduling = { nodeSelector: { "a b": "c" }, tolerations: [toleration, toleration] };
  const faults = faultsOf({ handler: "Kata_1", overhead: { podFixed: { cpu: "-1" } }, scheduling });
  expect(faults.map((fault) => fault.slice(0, fault.indexOf(": ")))).toEqual([
    "handler",
    "overhead.podFixed.limits[cpu]",
    "scheduling.nodeSelector",
    "scheduling.tolerations[1]",
  ]);
  expect(faultsOf({})[0]).toMatch(/^handler: Invalid value: "": a lowercase RFC 1123 label/);
});

test("a handler cannot be changed", () => {
  const metadata = { resourceVersion: "1" };
  const [before, after] = ["a", "b"].map((handler) => anObject(runtimeClassKind, { metadata, handler }));
  if (before === undefined || after === undefined) throw new Error("there are two");
  expect(validateUpdate(runtimeClassKind, { after, before })).toMatchObject([
    { field: "handler", message: 'Invalid value: "b": field is immutable' },
  ]);
});
