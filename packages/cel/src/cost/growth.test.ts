import { type CelFunc, celList, celMap, type CelType } from "@bufbuild/cel";
import { describe, expect, test } from "vitest";
import { callableFunctions } from "../expression.ts";
import { withBudget } from "./meter.ts";

/** Twice the input may take this much longer. A quadratic function exceeds this factor. */
const growthMax = 2.5;
/** Shorter times are measurement noise. */
const noiseMs = 15;
const [middleSize, largeSize] = [40_000, 80_000];

/**
 * The worst texts for searches: all characters alike, or with one different character at an end.
 */
const texts: Readonly<Record<string, (size: number) => string>> = {
  alike: (size) => "a".repeat(size),
  otherFirst: (size) => `b${"a".repeat(size / 2)}`,
  otherLast: (size) => `${"a".repeat(size / 2)}b`,
  single: () => "a",
  empty: () => "",
};

function operandOf(type: CelType, size: number, text: (size: number) => string): unknown {
  switch (type.kind === "scalar" ? type.scalar : type.kind) {
    case "string":
      return text(size);
    case "bytes":
      return new TextEncoder().encode(text(size));
    case "int":
      return BigInt(size / 2);
    case "double":
      return size / 2;
    case "bool":
      return true;
    case "map":
      return celMap(new Map(Array.from({ length: size / 10 }, (_, index) => [`k${index}`, `v${index}`])));
    case "list":
    case "dyn":
      return celList(Array.from({ length: size / 10 }, (_, index) => text(index % 10)));
    default:
      return null;
  }
}

function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function callMs(func: CelFunc, size: number, [first, others]: readonly [string, string]): number {
  const on = func.target && operandOf(func.target, size, texts[first] as never);
  const args = func.arguments.map((type, index) =>
    operandOf(type, size, texts[index === 0 && on === undefined ? first : others] as never),
  );
  // Results that are as large as the product of two operands are charged.
  return processorMs(() => {
    withBudget({ costLeft: 1_000_000 }, {}, () => func.call(0, on as never, args as never));
  });
}

describe("no function needs more than linear time", () => {
  const pairs = Object.keys(texts).flatMap((first) => Object.keys(texts).map((others) => [first, others] as const));
  test.each([...callableFunctions()].map((func) => [func.id, func] as const))("%s", (_, func) => {
    const hasText = [func.target, ...func.arguments].some((type) => type?.kind !== undefined && type.name === "string");
    for (const pair of hasText ? pairs : [["alike", "alike"] as const]) {
      if (callMs(func, largeSize, pair) <= noiseMs) continue;
      const [middle = 0, large = 0] = [middleSize, largeSize].map((size) =>
        Math.min(...[1, 2, 3].map(() => callMs(func, size, pair))),
      );
      expect(large, `${pair.join()}: ${middle} ms, then ${large} ms`).toBeLessThanOrEqual(middle * growthMax + noiseMs);
    }
  });
});
