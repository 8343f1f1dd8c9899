import { isApiError, type JsonObject, type JsonValue } from "@kintsugi/api";
import { withinLimits } from "@kintsugi/api/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyMergePatch } from "./merge-patch.ts";
import { isJsonObject } from "../json-value.ts";

const rows: { name: string; document: JsonObject; patch: JsonObject; result: JsonObject }[] = [
  { name: "a member is replaced", document: { a: "b" }, patch: { a: "c" }, result: { a: "c" } },
  { name: "a member is added", document: { a: "b" }, patch: { b: "c" }, result: { a: "b", b: "c" } },
  { name: "null removes a member", document: { a: "b", b: "c" }, patch: { a: null }, result: { b: "c" } },
  { name: "null for a missing member changes nothing", document: { a: 1 }, patch: { b: null }, result: { a: 1 } },
  { name: "lists are replaced whole", document: { a: [1, 2] }, patch: { a: [3] }, result: { a: [3] } },
  {
    name: "objects merge",
    document: { a: { b: 1, c: 2 } },
    patch: { a: { b: null, d: 3 } },
    result: { a: { c: 2, d: 3 } },
  },
  {
    name: "an object replaces a list",
    document: { a: [1] },
    patch: { a: { b: 1 } },
    result: { a: { b: 1 } },
  },
  { name: "a string replaces an object", document: { a: { b: 1 } }, patch: { a: "x" }, result: { a: "x" } },
  {
    name: "nulls inside a new object are omitted",
    document: {},
    patch: { a: { b: { c: null } } },
    result: { a: { b: {} } },
  },
  {
    name: "nulls inside a list remain",
    document: {},
    patch: { a: [null, { b: null }] },
    result: { a: [null, { b: null }] },
  },
  { name: "an empty patch changes nothing", document: { a: 1 }, patch: {}, result: { a: 1 } },
  {
    name: "a patch is never merged into inherited members",
    document: {},
    patch: { toString: { a: 1 } },
    result: { toString: { a: 1 } },
  },
];

describe("merge patch", () => {
  test.each(rows)("$name", ({ document, patch, result }) => {
    expect(applyMergePatch(Object.freeze(document), Object.freeze(patch))).toEqual(result);
  });

  test.each([[1], ["text"], [null], [[{ a: 1 }]], [undefined]])("refuses %j with BadRequest", (patch) => {
    expect(reasonOf(() => applyMergePatch({}, patch))).toBe("BadRequest");
  });

  test.each([
    '{"__proto__":{"polluted":1}}',
    '{"a":{"__proto__":null}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
    '{"a":[{"__proto__":1}]}',
  ])("refuses %s, and does not pollute any prototype", (text) => {
    expect(reasonOf(() => applyMergePatch({}, JSON.parse(text)))).toBe("BadRequest");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("refuses a document that is nested too deeply to be walked", () => {
    const text = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    expect(reasonOf(() => applyMergePatch({}, JSON.parse(text)))).toBe("BadRequest");
  });

  test("applying a patch twice has the same result as applying it once", () => {
    fc.assert(
      fc.property(
        jsonObject(),
        jsonObject(),
        withinLimits((document, patch) => {
          const once = applyMergePatch(document, patch);
          expect(applyMergePatch(once, patch)).toEqual(once);
        }),
      ),
    );
  });

  test("the patch from one document to another yields the other", () => {
    fc.assert(
      fc.property(
        jsonObject(),
        jsonObject(),
        withinLimits((from, to) => {
          fc.pre(!JSON.stringify([from, to]).includes("null"));
          expect(applyMergePatch(from, mergePatchBetween(from, to))).toEqual(to);
        }),
      ),
    );
  });
});

function mergePatchBetween(from: JsonObject, to: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const member of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [before, after] = [from[member], to[member]];
    if (!Object.hasOwn(to, member)) {
      patch[member] = null;
    } else if (isJsonObject(before) && isJsonObject(after)) {
      patch[member] = mergePatchBetween(before, after);
    } else {
      patch[member] = after ?? null;
    }
  }
  return patch;
}

function jsonObject() {
  const member = fc.constantFrom("a", "b", "c", "toString");
  const value = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<JsonValue>(1, "x", true, null, [], [1]),
      fc.dictionary(member, tie("value"), { noNullPrototype: true }),
    ),
  })).value;
  return fc.dictionary(member, value, { noNullPrototype: true });
}

function reasonOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return isApiError(error) ? error.reason : "not an ApiError";
  }
  return "accepted";
}
