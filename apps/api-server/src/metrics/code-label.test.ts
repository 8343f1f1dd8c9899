import { expect, test } from "vitest";
import { codeLabel } from "./code-label.ts";

test.each([
  [200, "200"],
  [404, "404"],
  [507, "507"],
  [299, "2xx"],
  [518, "5xx"],
  [999, "other"],
  [-1, "other"],
  [NaN, "other"],
])("the status %d has the label %s", (status, label) => {
  expect(codeLabel(status)).toBe(label);
});
