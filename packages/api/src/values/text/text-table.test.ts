import { expect, test } from "vitest";
import { textTable } from "./text-table.ts";

test("columns are as wide as their widest cell, and no line ends with spaces", () => {
  expect(
    textTable(
      ["NAME", "STATE"],
      [
        ["a", ""],
        ["longer", "ready"],
      ],
    ),
  ).toEqual(["NAME     STATE", "a", "longer   ready"]);
  expect(textTable(["A", "B"], [["1", "2"]], { gap: 2 })).toEqual(["A  B", "1  2"]);
});
