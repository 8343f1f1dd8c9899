import { describe, expect, test } from "vitest";
import type { Toleration } from "../pod/spec/scheduling.ts";
import type { Taint } from "./node-spec.ts";
import { findUntoleratedTaint, tolerates, tolerationSeconds } from "./taints.ts";

const taint: Taint = { key: "k", value: "v", effect: "NoExecute" };

describe("a toleration", () => {
  test.each<[Toleration, boolean]>([
    [{ key: "k", value: "v", effect: "NoExecute" }, true],
    [{ key: "k", operator: "Equal", value: "v" }, true],
    [{ key: "k", operator: "Equal", value: "w" }, false],
    [{ key: "k", operator: "Exists" }, true],
    [{ key: "other", operator: "Exists" }, false],
    [{ operator: "Exists" }, true],
    [{ operator: "Exists", effect: "NoSchedule" }, false],
    [{ key: "k" }, false],
    [{ key: "k", operator: "Near" as never }, false],
  ])("%j tolerates: %s", (toleration, expected) => {
    expect(tolerates(toleration, taint)).toBe(expected);
  });
});

test("the first untolerated taint is named", () => {
  const second: Taint = { key: "x", effect: "NoSchedule" };
  expect(findUntoleratedTaint([taint, second], [{ key: "k", operator: "Exists" }])).toBe(second);
  expect(findUntoleratedTaint([taint], [{ operator: "Exists" }])).toBeUndefined();
  expect(findUntoleratedTaint(undefined, undefined)).toBeUndefined();
});

describe("a pod under NoExecute taints remains", () => {
  const other: Taint = { key: "o", effect: "NoExecute" };
  const forever: Toleration = { operator: "Exists" };
  const seconds = (key: string, tolerationSeconds: number): Toleration => ({
    key,
    operator: "Exists",
    tolerationSeconds,
  });
  test.each<[string, Taint[], Toleration[], number]>([
    ["forever without taints", [], [], Infinity],
    ["for no time if it does not tolerate a taint", [taint, other], [seconds("k", 10)], 0],
    ["for the shortest of its tolerations", [taint, other], [seconds("k", 10), seconds("o", 5)], 5],
    ["forever if all taints are tolerated without end", [taint, other], [forever], Infinity],
    ["for no time with a zero toleration", [taint], [seconds("k", -1)], 0],
    ["as long as the first matching toleration states", [taint], [seconds("k", 10), forever], 10],
  ])("%s", (_what, taints, tolerations, expected) => {
    expect(tolerationSeconds(taints, tolerations)).toBe(expected);
  });
});
