import { expect, test } from "vitest";
import type { RowState } from "./column.ts";
import { LabelColumn } from "./label-column.ts";

const labelled = (value?: string) => ({ labels: value === undefined ? {} : { zone: value } }) as unknown as RowState;

test("numbers of values that no node has are reused for other values", () => {
  const column = new LabelColumn("zone", 2);
  for (let i = 0; i < 1_000; i++) column.nodeChanged(0, labelled(`zone-${i}`));
  column.nodeChanged(1, labelled("other"));
  expect(column.limit).toBeLessThan(4);
  expect(column.numberOf("zone-998")).toBe(0);
  expect([0, 1].map((row) => column.textOf(column.numbers[row] ?? 0))).toEqual(["zone-999", "other"]);
  column.nodeChanged(1, labelled());
  expect(column.numbers[1]).toBe(0);
  expect(column.numberOf("other")).toBe(0);
});
