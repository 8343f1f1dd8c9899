import { expect, test } from "vitest";
import { Pod } from "../kinds/core/pod/pod.ts";
import { describeSchema } from "../schema/describe-schema.ts";
import { findUnknownFields } from "./unknown-fields.ts";

const pod = describeSchema(Pod);

test.each<[string, unknown, string[]]>([
  ["a misspelled field", { spec: { containers: [{ imagee: "x" }] } }, ['unknown field "spec.containers[0].imagee"']],
  ["several, in the body's order", { b: 1, metadata: { x: 1 } }, ['unknown field "b"', 'unknown field "metadata.x"']],
  ["keys of maps may have any name", { metadata: { labels: { anything: "x" } } }, []],
  ["values of the wrong type are not inspected", { spec: [{ shoes: 1 }] }, []],
  [
    "a member that objects inherit",
    JSON.parse('{"spec":{"__proto__":1,"constructor":2}}'),
    ['unknown field "spec.__proto__"', 'unknown field "spec.constructor"'],
  ],
])("%s", (_what, body, expected) => {
  expect(findUnknownFields(pod, body)).toEqual(expected);
});

test("a body of nonsense is reported partially", () => {
  const body = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`x${index}`, index]));
  expect(findUnknownFields(pod, body)).toHaveLength(100);
});
