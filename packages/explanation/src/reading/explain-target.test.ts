import { describe, expect, test } from "vitest";
import { parseExplainTarget, kindsOfWorkloads } from "./explain-target.ts";

const words = (...all: (string | undefined)[]) => all.filter((word) => word !== undefined);

describe("the object to explain", () => {
  test.each([
    ["pod", "web-0", ["pods"], "web-0"],
    ["po/web-0", undefined, ["pods"], "web-0"],
    ["Node", "n1", ["nodes"], "n1"],
    ["deploy/web", undefined, ["deployments"], "web"],
    ["sts", "db", ["statefulsets"], "db"],
    ["hpa/web", undefined, ["horizontalpodautoscalers"], "web"],
    ["pvc/data", undefined, ["persistentvolumeclaims"], "data"],
    ["workload", "web", kindsOfWorkloads, "web"],
  ])("%s %s", (first, second, kinds, name) => {
    expect(parseExplainTarget(words(first, second))).toEqual({ kinds, name });
  });

  test.each([
    ["pod", undefined],
    ["pod/", undefined],
    ["pod/a", "b"],
    ["pod/a/b", undefined],
    ["pod", "shop/web"],
    ["secret", "x"],
    ["toString", "x"],
  ])("%s %s is rejected with a remedy", (first, second) => {
    expect(() => parseExplainTarget(words(first, second))).toThrow(
      /kintsugi explain|can be explained|-n|these kinds can/,
    );
  });
});
