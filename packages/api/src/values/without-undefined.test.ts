import { expect, test } from "vitest";
import { withoutUndefined } from "./without-undefined.ts";

test("only what is not set is left out, and the order stays", () => {
  const object = { b: undefined, z: 0, a: null, m: "", c: false };
  expect(Object.entries(withoutUndefined(object))).toEqual([
    ["z", 0],
    ["a", null],
    ["m", ""],
    ["c", false],
  ]);
  expect(object).toHaveProperty("b");
});
