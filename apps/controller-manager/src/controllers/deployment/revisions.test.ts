import type { ReplicaSet } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { compareRevisions, newSetAnnotations, nextRevision, revisionAnnotation, revisionOf } from "./revisions.ts";
import { aDeployment } from "./testing/rollout-world.ts";

const max = "9223372036854775807";

function aSet(revision: string | undefined, creationTimestamp?: string): ReplicaSet {
  const annotations = revision === undefined ? {} : { [revisionAnnotation]: revision };
  return { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { annotations, creationTimestamp } };
}

describe("revisions are 64-bit integers", () => {
  test.each([
    ["7", 7n],
    ["+7", 7n],
    ["-7", -7n],
    ["007", 7n],
    ["9007199254740993", 9_007_199_254_740_993n],
    [max, 2n ** 63n - 1n],
    ["-9223372036854775808", -(2n ** 63n)],
    ["9223372036854775808", 0n],
    ["1".repeat(100_000), 0n],
    ["1e3", 0n],
    ["0x10", 0n],
    ["1.0", 0n],
    [" 7", 0n],
    ["", 0n],
    [undefined, 0n],
  ])("%j is parsed as in Go", (text, revision) => {
    expect(revisionOf(aSet(text))).toBe(revision);
  });

  test("adjacent revisions beyond 2^53 are distinguished", () => {
    const [older, newer] = [aSet("9007199254740992"), aSet("9007199254740993")];
    expect([newer, older].toSorted(compareRevisions)).toEqual([older, newer]);
    expect(nextRevision([newer, older])).toBe(9_007_199_254_740_994n);
  });

  test("sets of one revision are ordered by their age", () => {
    const [older, newer] = [aSet("1", "2026-01-01T00:00:00Z"), aSet("1", "2026-01-01T00:00:01Z")];
    expect([newer, older].toSorted(compareRevisions)).toEqual([older, newer]);
  });

  test("the maximum revision is followed by itself", () => {
    expect(nextRevision([aSet(max)])).toBe(2n ** 63n - 1n);
    expect(nextRevision([])).toBe(1n);
  });
});

describe("a set of the present template", () => {
  const annotationsFor = (set: ReplicaSet, next: bigint) => newSetAnnotations(aDeployment(1), set, next);

  test("keeps its own revision history, which rollout undo has copied to the Deployment", () => {
    const deployment = aDeployment(1);
    const annotations = { "kintsugi.dev/rebalance": "true", "kintsugi.dev/rebalance-record": "stale" };
    const copied = { ...deployment, metadata: { ...deployment.metadata, annotations } };
    expect(newSetAnnotations(copied, aSet("1"), 1n)).toEqual({
      "kintsugi.dev/rebalance": "true",
      [revisionAnnotation]: "1",
    });
  });

  test("gets the next revision and records its former revision as history", () => {
    expect(annotationsFor(aSet("9007199254740992"), 9_007_199_254_740_993n)).toEqual({
      [revisionAnnotation]: "9007199254740993",
      "deployment.kubernetes.io/revision-history": "9007199254740992",
    });
  });

  test.each(["9007199254740993", "of my own"])("keeps the revision %j", (revision) => {
    expect(annotationsFor(aSet(revision), 9_007_199_254_740_992n)).toEqual({ [revisionAnnotation]: revision });
  });
});
