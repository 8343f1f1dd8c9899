import fc from "fast-check";
import { isDeepStrictEqual } from "node:util";
import type { PodStatus } from "@kintsugi/api";
import { expect, test } from "vitest";
import { sameStatus } from "./same-status.ts";

const ready = { type: "Ready", status: "True" } as const;
const initialized = { type: "Initialized", status: "True" } as const;

test.each<[string, PodStatus, PodStatus, boolean]>([
  ["the order of conditions", { conditions: [ready, initialized] }, { conditions: [initialized, ready] }, true],
  ["absent and empty fields", { phase: "Running", message: "", podIPs: [] }, { phase: "Running" }, true],
  ["lists of only empty fields", { resourceClaimStatuses: [] }, {}, true],
  ["another phase", { phase: "Running" }, { phase: "Failed" }, false],
  ["an additional condition", { conditions: [ready] }, { conditions: [ready, initialized] }, false],
  ["another order of addresses", { podIPs: [{ ip: "a" }, { ip: "b" }] }, { podIPs: [{ ip: "b" }, { ip: "a" }] }, false],
])("%s", (_, a, b, same) => {
  expect(sameStatus(a, b)).toBe(same);
  expect(sameStatus(b, a)).toBe(same);
});

/** The comparison has to agree with a comparison of both values without empty fields. */
function pruned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pruned);
  if (value === null || typeof value !== "object") return value;
  const fields = Object.entries(value).map(([name, field]) => [name, pruned(field)] as const);
  return Object.fromEntries(fields.filter(([, field]) => !isEmpty(field)));
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
}

test("two statuses are equal if they differ only in empty values", () => {
  const leaf = fc.constantFrom("", "x", 0, 1, true, null);
  const item = fc.record({ name: fc.constantFrom("a", "b"), value: leaf }, { requiredKeys: ["name"] });
  const part = fc.oneof(leaf, fc.array(item, { maxLength: 2 }), fc.dictionary(fc.constantFrom("p", "q"), leaf));
  const status = fc.dictionary(fc.constantFrom("a", "b", "c"), part).map((fields) => fields as PodStatus);
  fc.assert(
    fc.property(status, status, (a, b) => {
      expect(sameStatus(a, b)).toBe(isDeepStrictEqual(pruned(a), pruned(b)));
    }),
  );
});
