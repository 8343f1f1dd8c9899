import { describe, expect, test } from "vitest";
import type { AuthorizationAttributes } from "./authorization.ts";
import { nothingElse } from "./assert-allowed.ts";
import { DecisionCache } from "./decision-cache.ts";

const decision = { allowed: false, reason: "" };

function asked(name: string, groups: string[] = []): AuthorizationAttributes {
  return { ...nothingElse, verb: "get", resource: "pods", name, user: { name: "u", groups } };
}

describe("decisions are cached", () => {
  test("for the same request only", () => {
    const cache = new DecisionCache();
    cache.keep(asked("a"), decision);
    expect(cache.find(asked("a"))).toBe(decision);
    expect(cache.find(asked("b"))).toBeUndefined();
  });

  test("only for short requests, because a review may repeat a name of megabytes ten thousand times", () => {
    const cache = new DecisionCache();
    const long = asked("x".repeat(3_000));
    const ofManyGroups = asked(
      "a",
      Array.from({ length: 1_000 }, (_, i) => `group-${i}`),
    );
    for (const attributes of [long, ofManyGroups]) {
      cache.keep(attributes, decision);
      expect(cache.find(attributes)).toBeUndefined();
    }
  });
});
