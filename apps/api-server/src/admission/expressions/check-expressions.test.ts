import type { ExpressionSet } from "@kintsugi/api";
import { expect, test } from "vitest";
import { checkAdmissionExpressions } from "./check-expressions.ts";

function claimOf(texts: readonly string[]): ExpressionSet {
  const expressions = texts.map((text, index) => ({
    field: `selectors[${index}]`,
    text,
    returns: ["bool", "dyn"] as const,
    authorizer: false,
    variables: false,
  }));
  return { about: "device", params: false, patches: false, variables: [], expressions };
}

const loops = (suffix: string) => `${"[1].all(x,x==1)&&".repeat(160)}${suffix}`;

test.each([
  ["different", (index: number) => loops(`${index}==${index}`)],
  ["alike", () => loops("true")],
  ["too deep", (index: number) => `${"true?true:".repeat(1000)}${index % 2 === 0}`],
])("the selectors of a claim that are %s have a limit together", (_, text) => {
  const texts = Array.from({ length: 1024 }, (_text, index) => text(index));
  const before = process.cpuUsage();
  const last = checkAdmissionExpressions(claimOf(texts)).filter(({ message }) => message.includes("together"));
  expect(last[0]?.message).toBe("Forbidden: the expressions of the object are longer than 32768 characters together");
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2500);
});

test("the selectors that claims have are far from it", () => {
  const text = (index: number) => `device.driver == "gpu.example.com" && device.attributes["gpu"].index == ${index}`;
  expect(checkAdmissionExpressions(claimOf(Array.from({ length: 128 }, (_, index) => text(index))))).toEqual([]);
});
