import { expect, test } from "vitest";
import { freshName } from "./fresh-name.ts";

test("a name that is taken is not drawn", () => {
  const drawn = ["a", "b", "a", "c"];
  expect(
    freshName(
      () => drawn.shift() ?? "",
      (name) => "ab".includes(name),
    ),
  ).toBe("c");
});

test("drawing ends where every name is taken", () => {
  expect(() =>
    freshName(
      () => "a",
      () => true,
    ),
  ).toThrow("all of them are taken");
});
