import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addQuantities,
  bytesQuantity,
  canonicalQuantity,
  compareQuantities,
  cpuMillicores,
  formatQuantity,
  isQuantity,
  memoryBytes,
  milliQuantity,
  parseQuantity,
  subtractQuantities,
} from "./quantity.ts";
import { withinLimits } from "../testing/request-limits.ts";

describe("a quantity has a canonical form", () => {
  test.each([
    ["0", "0"],
    ["-0", "0"],
    ["0Gi", "0"],
    ["1000m", "1"],
    ["1500m", "1500m"],
    ["1.5", "1500m"],
    ["0.5", "500m"],
    [".5", "500m"],
    ["1.", "1"],
    ["+1", "1"],
    ["-1.50", "-1500m"],
    ["1000", "1k"],
    ["1000000", "1M"],
    ["1234567", "1234567"],
    ["1024Mi", "1Gi"],
    ["1025Mi", "1025Mi"],
    ["1000Ki", "1000Ki"],
    ["1024", "1024"],
    ["1023", "1023"],
    ["1Ki", "1Ki"],
    ["0.5Ki", "512"],
    ["0.5Mi", "512Ki"],
    ["0.1Mi", "104857600m"],
    ["1e3", "1e3"],
    ["1E3", "1e3"],
    ["1500e-3", "1500e-3"],
    ["1E", "1E"],
    ["100n", "100n"],
    ["1000n", "1u"],
    ["0.1n", "1n"],
    ["0.0000000001", "1n"],
    ["9223372036854775807", "9223372036854775807"],
    ["9223372036854775808", "9223372036854775807"],
    ["1e999999999", "9223372036854775807"],
    ["1e-999999999", "1e-9"],
    ["8Ei", "9223372036854775807"],
    ["010", "10"],
  ])("%s → %s", (text, expected) => {
    expect(canonicalQuantity(text)).toBe(expected);
  });

  test.each(["", ".", "1.1.1", "1 Gi", "Gi", "1kk", "1mi", "0x1", "1e", "1e1.5", "--1", "1e-", "1K", "1Gi1", "NaN"])(
    "%j is not a quantity",
    (text) => {
      expect(isQuantity(text)).toBe(false);
    },
  );
});

const texts = fc
  .tuple(
    fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
    fc.constantFrom("", "n", "u", "m", "k", "Ki", "Mi", "e3", "E-2"),
  )
  .map(([number, suffix]) => `${number}${suffix}`);

test("formatting and parsing keep the amount, and a second pass changes nothing", () => {
  fc.assert(
    fc.property(
      texts,
      withinLimits((text) => {
        const canonical = canonicalQuantity(text);
        expect(parseQuantity(canonical).nanos).toBe(parseQuantity(text).nanos);
        expect(canonicalQuantity(canonical)).toBe(canonical);
      }),
    ),
  );
});

test("sums and differences are exact", () => {
  fc.assert(
    fc.property(
      texts,
      texts,
      withinLimits((a, b) => {
        const [left, right] = [parseQuantity(a).nanos, parseQuantity(b).nanos];
        expect(parseQuantity(addQuantities(a, b)).nanos).toBe(left + right);
        expect(parseQuantity(subtractQuantities(a, b)).nanos).toBe(left - right);
        expect(Math.sign(compareQuantities(a, b))).toBe(left < right ? -1 : left > right ? 1 : 0);
      }),
    ),
  );
  expect(addQuantities("0.1", "0.2")).toBe("300m");
  expect(addQuantities("0", "1Gi")).toBe("1Gi");
});

test("cpu is counted in thousandths and memory in bytes, rounded up", () => {
  expect(["1", "250m", "0.1", "1u", "2k", undefined].map(cpuMillicores)).toEqual([1000, 250, 100, 1, 2_000_000, 0]);
  expect(["128Mi", "1Gi", "1.5", "1k", "100m", undefined].map(memoryBytes)).toEqual([
    134_217_728, 1_073_741_824, 2, 1000, 1, 0,
  ]);
});

test("the fast paths for common strings have the results of the exact path", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 999_999 }),
      fc.constantFrom("", "m", "Ki", "Mi", "Gi"),
      withinLimits((number, suffix) => {
        const text = `${number}${suffix}`;
        const { nanos } = parseQuantity(text);
        expect(BigInt(memoryBytes(text))).toBe((nanos + 999_999_999n) / 1_000_000_000n);
        expect(BigInt(cpuMillicores(text))).toBe((nanos + 999_999n) / 1_000_000n);
        expect(canonicalQuantity(text)).toBe(formatQuantity(parseQuantity(text)));
      }),
    ),
  );
});

test("a string that is longer than any amount is invalid, however many digits it has", () => {
  expect(canonicalQuantity("1".repeat(9).padEnd(128, "0"))).toBe("9223372036854775807");
  expect(() => canonicalQuantity("9".repeat(3_000_000))).toThrow("quantities must be no longer than 128 characters");
});

test("numbers become quantities", () => {
  expect(bytesQuantity(8 * 1024 ** 3)).toBe("8Gi");
  expect(milliQuantity(2500)).toBe("2500m");
});
