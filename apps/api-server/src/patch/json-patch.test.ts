import { ApiError, type JsonObject, type JsonValue } from "@kintsugi/api";
import { withinLimits } from "@kintsugi/api/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepFreeze, errorOf, outcomeOf } from "../testing/refusals.ts";
import { applyJsonPatch, jsonPatchCopyBytesMax, jsonPatchOperationsMax } from "./json-patch.ts";

interface Row {
  name: string;
  document: JsonObject;
  patch: unknown;
  result: JsonObject;
}

const applied: Row[] = [
  {
    name: "add sets a member",
    document: { a: 1 },
    patch: [{ op: "add", path: "/b", value: 2 }],
    result: { a: 1, b: 2 },
  },
  {
    name: "add replaces an existing member",
    document: { a: 1 },
    patch: [{ op: "add", path: "/a", value: 2 }],
    result: { a: 2 },
  },
  {
    name: "add inserts before an item",
    document: { l: [1, 3] },
    patch: [{ op: "add", path: "/l/1", value: 2 }],
    result: { l: [1, 2, 3] },
  },
  {
    name: "add appends with -",
    document: { l: [1] },
    patch: [{ op: "add", path: "/l/-", value: [2] }],
    result: { l: [1, [2]] },
  },
  {
    name: "add appends at the length",
    document: { l: [1] },
    patch: [{ op: "add", path: "/l/1", value: 2 }],
    result: { l: [1, 2] },
  },
  {
    name: "add at -1 appends as upstream's library does",
    document: { l: [1] },
    patch: [{ op: "add", path: "/l/-1", value: 2 }],
    result: { l: [1, 2] },
  },
  {
    name: "add of null keeps the null",
    document: {},
    patch: [{ op: "add", path: "/a", value: null }],
    result: { a: null },
  },
  {
    name: "add at the root replaces the document",
    document: { a: 1 },
    patch: [{ op: "add", path: "", value: { b: 2 } }],
    result: { b: 2 },
  },
  {
    name: "unknown members of an operation are ignored",
    document: {},
    patch: [{ op: "add", path: "/a", value: 1, xyz: 2 }],
    result: { a: 1 },
  },
  { name: "remove drops a member", document: { a: 1, b: 2 }, patch: [{ op: "remove", path: "/a" }], result: { b: 2 } },
  {
    name: "remove drops an item",
    document: { l: [1, 2, 3] },
    patch: [{ op: "remove", path: "/l/1" }],
    result: { l: [1, 3] },
  },
  {
    name: "replace changes a member",
    document: { a: { b: 1 } },
    patch: [{ op: "replace", path: "/a/b", value: [] }],
    result: { a: { b: [] } },
  },
  {
    name: "replace changes an item",
    document: { l: [1, 2] },
    patch: [{ op: "replace", path: "/l/0", value: 9 }],
    result: { l: [9, 2] },
  },
  {
    name: "move renames a member",
    document: { a: { x: 1 }, b: {} },
    patch: [{ op: "move", from: "/a/x", path: "/b/y" }],
    result: { a: {}, b: { y: 1 } },
  },
  {
    name: "move reorders items",
    document: { l: ["a", "b", "c"] },
    patch: [{ op: "move", from: "/l/0", path: "/l/2" }],
    result: { l: ["b", "c", "a"] },
  },
  {
    name: "move to the same place changes nothing",
    document: { a: 1 },
    patch: [{ op: "move", from: "/a", path: "/a" }],
    result: { a: 1 },
  },
  {
    name: "copy shares nothing with its source",
    document: { a: { x: 1 } },
    patch: [
      { op: "copy", from: "/a", path: "/b" },
      { op: "add", path: "/b/x", value: 2 },
    ],
    result: { a: { x: 1 }, b: { x: 2 } },
  },
  {
    name: "test passes whatever the order of members",
    document: { a: { x: 1, y: [2] } },
    patch: [{ op: "test", path: "/a", value: { y: [2], x: 1 } }],
    result: { a: { x: 1, y: [2] } },
  },
  {
    name: "test treats a missing member as null",
    document: {},
    patch: [{ op: "test", path: "/a", value: null }],
    result: {},
  },
  {
    name: "escapes name members with / and ~",
    document: { "a/b": 1, "m~n": 2 },
    patch: [
      { op: "remove", path: "/a~1b" },
      { op: "replace", path: "/m~0n", value: 3 },
    ],
    result: { "m~n": 3 },
  },
  { name: "~01 means ~1, not /", document: { "~1": 1 }, patch: [{ op: "remove", path: "/~01" }], result: {} },
  { name: "an empty patch changes nothing", document: { a: 1 }, patch: [], result: { a: 1 } },
  {
    name: "an empty token names the empty member",
    document: { "": 1 },
    patch: [{ op: "replace", path: "/", value: 2 }],
    result: { "": 2 },
  },
  {
    name: "a member called constructor is an ordinary member",
    document: {},
    patch: [{ op: "add", path: "/constructor", value: "x" }],
    result: { constructor: "x" },
  },
];

const refused: { name: string; document: JsonObject; patch: unknown; code: number; because: string }[] = [
  { name: "a patch that is not a list", document: {}, patch: { op: "add" }, code: 400, because: "list of operations" },
  { name: "an operation that is not an object", document: {}, patch: ["add"], code: 400, because: "not an object" },
  {
    name: "an unknown operation",
    document: {},
    patch: [{ op: "merge", path: "/a" }],
    code: 422,
    because: "Unexpected kind: merge",
  },
  { name: "a missing path", document: {}, patch: [{ op: "remove" }], code: 400, because: "not a JSON pointer" },
  {
    name: "a path without a slash",
    document: {},
    patch: [{ op: "add", path: "a", value: 1 }],
    code: 400,
    because: "not a JSON pointer",
  },
  {
    name: "add without a value",
    document: {},
    patch: [{ op: "add", path: "/a" }],
    code: 400,
    because: "needs a value",
  },
  {
    name: "add below a missing parent",
    document: {},
    patch: [{ op: "add", path: "/a/b", value: 1 }],
    code: 422,
    because: 'add operation does not apply: doc is missing path: "/a/b": missing value',
  },
  {
    name: "add beyond the end of a list",
    document: { l: [] },
    patch: [{ op: "add", path: "/l/1", value: 1 }],
    code: 422,
    because: "invalid index",
  },
  {
    name: "a list index with a leading zero",
    document: { l: [1, 2] },
    patch: [{ op: "remove", path: "/l/01" }],
    code: 422,
    because: "invalid index",
  },
  {
    name: "a list index that is not a number",
    document: { l: [1] },
    patch: [{ op: "replace", path: "/l/x", value: 1 }],
    code: 422,
    because: "missing key",
  },
  {
    name: "remove of a missing member",
    document: {},
    patch: [{ op: "remove", path: "/a" }],
    code: 422,
    because: "Unable to remove nonexistent key: a",
  },
  {
    name: "remove of an inherited member",
    document: {},
    patch: [{ op: "remove", path: "/toString" }],
    code: 422,
    because: "nonexistent key",
  },
  {
    name: "replace of a missing member",
    document: {},
    patch: [{ op: "replace", path: "/a", value: 1 }],
    code: 422,
    because: "replace operation does not apply: doc is missing key: /a",
  },
  {
    name: "move of a missing member",
    document: {},
    patch: [{ op: "move", from: "/a", path: "/b" }],
    code: 422,
    because: "error in move for path: '/a'",
  },
  {
    name: "move into itself",
    document: { a: { b: 1 } },
    patch: [{ op: "move", from: "/a", path: "/a/b" }],
    code: 422,
    because: "into itself",
  },
  {
    name: "copy of a missing member",
    document: {},
    patch: [{ op: "copy", from: "/a", path: "/b" }],
    code: 422,
    because: "error in copy for path: '/a'",
  },
  {
    name: "a failing test",
    document: { a: 1 },
    patch: [{ op: "test", path: "/a", value: 2 }],
    code: 422,
    because: "testing value /a failed: test failed",
  },
  {
    name: "a document that is no longer an object",
    document: {},
    patch: [{ op: "replace", path: "", value: 1 }],
    code: 422,
    because: "not an object",
  },
  {
    name: "a path through __proto__",
    document: {},
    patch: [{ op: "add", path: "/__proto__/polluted", value: 1 }],
    code: 400,
    because: "forbidden member name",
  },
  {
    name: "a value with __proto__",
    document: {},
    patch: JSON.parse('[{"op":"add","path":"/a","value":{"__proto__":{"polluted":1}}}]'),
    code: 400,
    because: "forbidden member name",
  },
];

describe("JSON patch", () => {
  test.each(applied)("$name", ({ document, patch, result }) => {
    const before = structuredClone(document);
    expect(applyJsonPatch(deepFreeze(document), deepFreeze(patch))).toEqual(result);
    expect(document).toEqual(before);
  });

  test.each(refused)("refuses $name with $code", ({ document, patch, code, because }) => {
    const error = errorOf(() => applyJsonPatch(document, patch));
    expect(error.code).toBe(code);
    expect([error.message, ...(error.details?.causes ?? []).map((cause) => cause.message)].join("\n")).toContain(
      because,
    );
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    // kubectl prints the field and message of each cause.
    expect(error.details?.causes?.every(({ field = "" }) => field !== "") ?? true).toBe(true);
  });

  test("a failed operation undoes the operations before it", () => {
    const document = { a: 1, l: [1] };
    const patch = [
      { op: "add", path: "/b", value: 2 },
      { op: "remove", path: "/l/0" },
      { op: "remove", path: "/missing" },
    ];
    expect(() => applyJsonPatch(document, patch)).toThrow(ApiError);
    expect(document).toEqual({ a: 1, l: [1] });
  });

  test("a patch may have 10,000 operations but not 10,001", () => {
    const operation = { op: "test", path: "", value: {} };
    expect(
      applyJsonPatch(
        {},
        Array.from({ length: jsonPatchOperationsMax }, () => operation),
      ),
    ).toEqual({});
    const error = errorOf(() =>
      applyJsonPatch(
        {},
        Array.from({ length: jsonPatchOperationsMax + 1 }, () => operation),
      ),
    );
    expect(error.code).toBe(413);
    expect(error.message).toContain("The allowed maximum operations in a JSON patch is 10000, got 10001");
  });

  test("copies that double a document stop at 3 MiB", () => {
    const doubling = Array.from({ length: 30 }, (_, index) => ({ op: "copy", from: "", path: `/c${index}` }));
    const error = errorOf(() => applyJsonPatch({ a: "x".repeat(1000) }, doubling));
    expect(error.code).toBe(422);
    expect(error.details?.causes?.[0]?.message).toContain(`exceeding the limit ${jsonPatchCopyBytesMax}`);
  });

  test("moves that add level on level are rejected instead of overflowing the stack", () => {
    const deeper = Array.from(
      { length: 9_000 },
      (_, index) =>
        [
          { op: "add", path: "/next", value: {} },
          { op: "move", from: "/a", path: "/next/a" },
          { op: "move", from: "/next", path: "/a" },
        ][index % 3],
    );
    const error = errorOf(() => applyJsonPatch({ a: {} }, [...deeper, { op: "copy", from: "/a", path: "/b" }]));
    expect(error.message).toContain("nested deeper than");
  });

  test("adding a member and removing it again restores the document", () => {
    fc.assert(
      fc.property(
        jsonObject(),
        fc.string(),
        fc.jsonValue(),
        withinLimits((document, member, value) => {
          fc.pre(member !== "__proto__" && !Object.hasOwn(document, member));
          fc.pre(!JSON.stringify([document, value]).includes("__proto__"));
          const path = `/${member.replaceAll("~", "~0").replaceAll("/", "~1")}`;
          const frozen = deepFreeze(document);
          const added = applyJsonPatch(frozen, [{ op: "add", path, value }]);
          expect(added[member]).toEqual(value);
          expect(applyJsonPatch(added, [{ op: "remove", path }])).toEqual(document);
        }),
      ),
    );
  });

  test("for any patch, the document is not modified and the outcome is a result or an ApiError", () => {
    const pointer = fc.array(fc.constantFrom("a", "b", "0", "-", "-1", "constructor", "prototype", "__proto__"), {
      maxLength: 4,
    });
    const path = pointer.map((tokens) => tokens.map((token) => `/${token}`).join(""));
    const operation = fc.record({
      op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test"),
      path,
      from: path,
      value: fc.jsonValue({ maxDepth: 2 }),
    });
    fc.assert(
      fc.property(
        fc.array(operation, { maxLength: 6 }),
        withinLimits((patch) => {
          const document = deepFreeze({ a: { b: [1, { a: 2 }] }, b: [[], "x"] });
          expect(outcomeOf(() => applyJsonPatch(document, patch))).not.toBe("crashed");
          expect(Object.keys(Object.prototype)).toEqual([]);
        }),
      ),
      { numRuns: 500 },
    );
  });
});

function jsonObject() {
  return fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>, {
    noNullPrototype: true,
  });
}
