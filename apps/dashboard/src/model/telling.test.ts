import { expect, test } from "vitest";
import { isTelling } from "./telling.ts";

test.each([
  ["Pod", "condition", "ContainersReady=True", false],
  ["Pod", "condition", "Ready=False", true],
  ["Pod", "condition", "PodScheduled=False (Unschedulable)", true],
  ["Node", "condition", "MemoryPressure=Unknown", false],
  ["Node", "condition", "DiskPressure=True", true],
  ["Pod", "created", "", true],
] as const)("of %s %s %s is shown: %s", (kind, what, detail, shown) => {
  expect(isTelling({ kind, what, detail })).toBe(shown);
});
