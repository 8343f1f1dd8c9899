import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, sameJson, sameJsonExcept } from "./json.ts";
import { withinLimits } from "../testing/request-limits.ts";

test.each<[unknown, unknown, boolean]>([
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: undefined }, {}, true],
  [{}, { a: undefined }, true],
  [{ a: null }, {}, false],
  [[1, 2], [2, 1], false],
  [[], {}, false],
  [{}, null, false],
  [{ a: [{ b: 1 }] }, { a: [{ b: 1 }] }, true],
  [{ toString: 1 }, {}, false],
  ["1", 1, false],
])("%j and %j: %s", (a, b, expected) => {
  expect(sameJson(a, b)).toBe(expected);
  expect(sameJson(b, a)).toBe(expected);
});

test("equal values, and only equal values, have equal canonical strings", () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 3 }),
      fc.jsonValue({ maxDepth: 3 }),
      withinLimits((a, b) => {
        expect(sameJson(a, structuredClone(a))).toBe(true);
        expect(canonicalJson(a) === canonicalJson(b)).toBe(
          sameJson(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b))),
        );
      }),
    ),
  );
});

test("canonical text sorts keys at every depth, including a prototype's name", () => {
  expect(canonicalJson(JSON.parse('{"b":{"d":1,"c":2},"a":[{"z":1,"y":2}],"__proto__":3}'))).toBe(
    '{"__proto__":3,"a":[{"y":2,"z":1}],"b":{"c":2,"d":1}}',
  );
});

test("one key of two objects may be ignored on either side, but only at the top level", () => {
  const a = { revision: 1, spec: { revision: 1 } };
  expect(sameJsonExcept(a, { revision: 2, spec: { revision: 1 } }, "revision")).toBe(true);
  expect(sameJsonExcept(a, { spec: { revision: 1 } }, "revision")).toBe(true);
  expect(sameJsonExcept({ spec: { revision: 1 } }, a, "revision")).toBe(true);
  expect(sameJsonExcept(a, { revision: 1, spec: { revision: 2 } }, "revision")).toBe(false);
  expect(sameJsonExcept(a, { revision: 1, spec: { revision: 1 }, more: 1 }, "revision")).toBe(false);
});
