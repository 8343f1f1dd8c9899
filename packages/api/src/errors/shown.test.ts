import { describe, expect, test } from "vitest";
import { ApiError } from "./api-error.ts";
import { shortened, shownValue } from "./shown.ts";

describe("a refusal quotes", () => {
  test.each<[unknown, string]>([
    [undefined, "null"],
    [null, "null"],
    ["a", '"a"'],
    [7, "7"],
    [{ a: [1, { b: "c" }] }, '{"a":[1,{"b":"c"}]}'],
  ])("%j as it is", (value, text) => {
    expect(shownValue(value)).toBe(text);
  });

  test("the beginning of a long text, and its length", () => {
    expect(shortened("abcdef", 3)).toBe("abc… (6 characters)");
    expect(shownValue("x".repeat(2_000))).toBe(`"${"x".repeat(1024)}… (2000 characters)"`);
  });

  test("the beginning of a large value, without inspecting the rest", () => {
    let looked = 0;
    const items = Array.from({ length: 10_000 }, () => ({
      get a() {
        looked++;
        return "x".repeat(100_000);
      },
    }));
    expect(shownValue({ items }).length).toBeLessThan(1_100);
    expect(looked).toBeLessThan(200);
  });
});

test("no refusal is longer than clients log, whatever it contains", () => {
  const causes = Array.from({ length: 1_000 }, (_, i) => ({
    field: `f${i}`,
    message: "x".repeat(100_000),
    reason: "r",
  }));
  const error = new ApiError("Invalid", "x".repeat(1_000_000), { details: { causes } });
  expect(error.message.length).toBeLessThan(70_000);
  expect(error.details?.causes).toHaveLength(102);
  expect(error.details?.causes?.at(-1)?.message).toBe("899 more are not listed");
  expect(JSON.stringify(error.details).length).toBeLessThan(500_000);
});
