import { describe, expect, test } from "vitest";
import { aNamespace } from "../../testing/test-cluster.ts";
import { type ContentReport, planConditions, planNamespace } from "./plan.ts";

const empty: ContentReport = {
  unknownGroups: [],
  remaining: new Map(),
  finalizers: new Map(),
  failures: [],
  graceSeconds: 0,
};

describe("the deletion of a namespace", () => {
  test.each<{ name: string; report: Partial<ContentReport>; expected: ReturnType<typeof planNamespace> }>([
    { name: "is completed when nothing is left", report: {}, expected: { type: "finalize" } },
    {
      name: "waits half the grace period of its pods",
      report: { remaining: new Map([["pods", 2]]), graceSeconds: 30 },
      expected: { type: "wait", retryAfterMs: 16_000 },
    },
    {
      name: "waits for finalizers a little at a time",
      report: { remaining: new Map([["configmaps", 1]]), finalizers: new Map([["x/y", 1]]) },
      expected: { type: "wait", retryAfterMs: 8500 },
    },
    {
      name: "is not completed while a kind could not be listed",
      report: { failures: ["secrets: forbidden"] },
      expected: { type: "wait", retryAfterMs: 1000 },
    },
    {
      name: "is not completed while the kinds of a group are unknown",
      report: { unknownGroups: ["dead.example.org"] },
      expected: { type: "wait", retryAfterMs: 1000 },
    },
  ])("$name", ({ report, expected }) => {
    expect(planNamespace({ ...empty, ...report })).toEqual(expected);
  });

  test("is explained by five conditions, which change only with new facts", () => {
    const namespace = aNamespace("a", { terminating: true });
    const report = {
      ...empty,
      remaining: new Map([
        ["pods", 2],
        ["configmaps", 1],
      ]),
      failures: ["secrets: no"],
    };
    const conditions = planConditions(namespace, report, 0);
    expect(conditions.map(({ type, status }) => `${type}=${status}`)).toEqual([
      "NamespaceDeletionDiscoveryFailure=False",
      "NamespaceDeletionGroupVersionParsingFailure=False",
      "NamespaceDeletionContentFailure=True",
      "NamespaceContentRemaining=True",
      "NamespaceFinalizersRemaining=False",
    ]);
    expect(conditions[3]?.message).toBe(
      "Some resources are remaining: configmaps has 1 resource instances, pods has 2 resource instances",
    );
    const unknown = planConditions(namespace, { ...empty, unknownGroups: ["dead.example.org"] }, 0);
    expect(unknown.slice(0, 3).map(({ type, status, reason }) => `${type}=${status} ${reason}`)).toEqual([
      "NamespaceDeletionDiscoveryFailure=True DiscoveryFailed",
      "NamespaceDeletionGroupVersionParsingFailure=False ParsedGroupVersions",
      "NamespaceDeletionContentFailure=False ContentDeleted",
    ]);
    expect(unknown[0]?.message).toBe(
      "Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: dead.example.org: stale GroupVersion discovery: dead.example.org",
    );
    const settled = { ...namespace, status: { conditions } };
    expect(planConditions(settled, report, 9999)).toBe(conditions);
  });
});
