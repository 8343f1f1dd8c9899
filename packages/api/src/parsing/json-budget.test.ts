import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertJsonBudget, countValues, jsonDepthMax, jsonValuesMax, parseForeignJson } from "./json-budget.ts";
import { withinLimits } from "../testing/request-limits.ts";

const megabytes = 8 * 1024 * 1024;
const half = megabytes / 2;

/** Texts of eight megabytes, the maximum size of a server's response. */
const hostile = {
  brackets: "[".repeat(half) + "]".repeat(half),
  "open brackets": "[".repeat(megabytes),
  braces: '{"a":'.repeat(megabytes / 6) + "1" + "}".repeat(megabytes / 6),
  "brackets in a field": `{"x":${"[".repeat(half)}${"]".repeat(half)}}`,
  "empty objects": `[${"{},".repeat(megabytes / 3)}{}]`,
  numbers: `[${"1,".repeat(half)}1]`,
  "brackets behind a text": `["${"\\\\".repeat(half / 2)}",${"[".repeat(half)}`,
};

describe("the JSON of another program", () => {
  test.each(Object.entries(hostile))("of eight megabytes of %s is rejected before it is built", (_name, text) => {
    const before = process.cpuUsage();
    const heapBefore = process.memoryUsage().heapUsed;
    expect(() => parseForeignJson(text)).toThrow(/nests deeper than 64 levels|holds more than 20000 values/);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(250);
    expect(process.memoryUsage().heapUsed - heapBefore).toBeLessThan(64 * 1024 * 1024);
  });

  test("of any form within the limits is the value that it represents", () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 6 }),
        withinLimits((text) => {
          expect(parseForeignJson(text)).toEqual(JSON.parse(text));
        }),
      ),
    );
  });

  test("may hold the limits of values and levels, but not more", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    expect(() => parseForeignJson(nested(jsonDepthMax))).not.toThrow();
    expect(() => parseForeignJson(nested(jsonDepthMax + 1))).toThrow("the text nests deeper than 64 levels");
    expect(() => parseForeignJson(nested(jsonDepthMax + 1), { depthMax: jsonDepthMax + 1 })).not.toThrow();
    const list = (items: number) => `[${"1,".repeat(items - 1)}1]`;
    expect(() => parseForeignJson(list(jsonValuesMax - 1))).not.toThrow();
    expect(() => parseForeignJson(list(jsonValuesMax), { of: "the answer" })).toThrow("the answer holds more than");
    expect(() => parseForeignJson(list(jsonValuesMax), { valuesMax: 2 * jsonValuesMax })).not.toThrow();
  });

  test("is counted as at least as many values as it has", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 5 }),
        withinLimits((value) => {
          const budget = { valuesMax: Infinity };
          expect(assertJsonBudget(JSON.stringify(value), budget)).toBeGreaterThanOrEqual(countValues(value) / 2);
        }),
      ),
    );
  });
});
