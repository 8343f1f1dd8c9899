import { expect, test } from "vitest";
import { withoutUndefined } from "./without-undefined.ts";

test("only undefined members are omitted, and the order is kept", () => {
  const object = { b: undefined, z: 0, a: null, m: "", c: false };
  expect(Object.entries(withoutUndefined(object))).toEqual([
    ["z", 0],
    ["a", null],
    ["m", ""],
    ["c", false],
  ]);
  expect(object).toHaveProperty("b");
});
