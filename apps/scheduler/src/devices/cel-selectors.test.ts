import type { Device } from "@kintsugi/api";
import type { PooledDevice } from "@kintsugi/scheduling";
import { expect, test } from "vitest";
import { compileSelector } from "./cel-selectors.ts";

const driver = "gpu.example.com";
const device: Device = {
  name: "g",
  attributes: {
    model: { string: "x" },
    cores: { int: 8 },
    shared: { bool: false },
    firmware: { version: "1.10.0" },
    "vendor.example.com/rack": { string: "r1" },
    links: { strings: ["a", "b"] },
  },
  capacity: { memory: { value: "40Gi" }, "vendor.example.com/lanes": { value: "16" } },
};

function verdict(expression: string, costLeft = 1_000_000) {
  const program = compileSelector(expression);
  const pooled = { device, pool: { driver, name: "p" } } as unknown as PooledDevice;
  return typeof program === "function" ? program(pooled, { costLeft }) : program;
}

test.each([
  [`device.driver == "${driver}"`, true],
  [`device.attributes["${driver}"].model == "x"`, true],
  [`device.attributes["${driver}"].cores > 4 && !device.attributes["${driver}"].shared`, true],
  [`device.attributes["${driver}"].firmware.isGreaterThan(semver("1.9.0"))`, true],
  [`device.attributes["vendor.example.com"].rack == "r2"`, false],
  [`"b" in device.attributes["${driver}"].links`, true],
  [`device.capacity["${driver}"].memory.compareTo(quantity("40Gi")) >= 0`, true],
  [`device.capacity["vendor.example.com"].lanes.isLessThan(quantity("8"))`, false],
  [`"none.example.com" in device.attributes`, false],
  [`"x" in device.attributes["none.example.com"]`, false],
  [`"model" in device.attributes["${driver}"]`, true],
  ["device.allowMultipleAllocations", false],
  [`device.attributes["none.example.com"].x == 1`, { fault: "CEL runtime error: no such key: x" }],
  [
    `device.attributes["${driver}"].model`,
    { fault: "CEL runtime error: the expression did not evaluate to a boolean" },
  ],
])("%s is %o", (expression, expected) => {
  expect(verdict(expression)).toEqual(expected);
});

test("an invalid expression has a fault, and an expression without budget has no verdict", () => {
  expect(verdict("device.")).toMatchObject({ fault: expect.any(String) as string });
  expect(verdict(`device.driver == "${driver}"`, 0)).toBe("exhausted");
});

test("an expression that costs more than an evaluation's limit has a fault", () => {
  const many = `[${Array.from({ length: 120 }, () => "1").join(",")}]`;
  const loop = `${many}.all(a, ${many}.all(b, ${many}.all(c, a + b + c > 0)))`;
  expect(verdict(loop, 10_000_000)).toEqual({ fault: "CEL runtime error: actual cost limit exceeded" });
});

test("an expression whose result is larger than its parts ends within its budget", () => {
  const text = `cel.bind(a, "${"a".repeat(4000)}", cel.bind(b, a + a + a + a + a, b.replace("a", b).size() > 0))`;
  const before = process.cpuUsage();
  expect(verdict(text, 1_000_000)).toEqual({ fault: "CEL runtime error: actual cost limit exceeded" });
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(500);
});

test("the attributes of a device are charged once", () => {
  const pooled = { device, pool: { driver, name: "p" } } as unknown as PooledDevice;
  const program = compileSelector(`device.driver == "${driver}"`);
  if (typeof program !== "function") throw new Error("the expression has no program");
  const spent = [1, 2].map(() => {
    const budget = { costLeft: 100_000 };
    expect(program(pooled, budget)).toBe(true);
    return 100_000 - budget.costLeft;
  });
  expect(spent[0]).toBe((spent[1] ?? 0) + 800);
});
