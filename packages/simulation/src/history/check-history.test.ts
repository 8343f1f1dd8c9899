import { SeededRandom } from "@kintsugi/clock/simulated";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkHistory, countChecks } from "./check-history.ts";
import type { History } from "./history.ts";
import { legalHistory } from "./testing/legal-history.ts";
import { mutations } from "./testing/mutations.ts";

const seed = fc.integer({ min: 1, max: 2 ** 31 });

/** Returns the history of a recorder without access to the store's log. */
function withoutCommits({ calls, lists, watches, finals = [] }: History): History {
  return { calls, lists, watches, finals };
}

function withoutTimes(history: History): History {
  const commits = history.commits?.map(({ kind, revision, type, key, value }) => ({
    kind,
    revision,
    type,
    key,
    value,
  }));
  return { ...history, ...(commits && { commits }) };
}

describe("the history of clients of a server without faults", () => {
  test.each<[string, (history: History) => History]>([
    ["with its log", (history) => history],
    ["with a log without times", withoutTimes],
    ["without a log", withoutCommits],
  ])("passes %s", (_, seen) => {
    fc.assert(
      fc.property(seed, (each) => {
        expect(checkHistory(seen(legalHistory(each)))).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  test("is not trivial", () => {
    const { calls, lists, watches, commits = [] } = legalHistory(1, 1000);
    const verbs = new Set(calls.map(({ verb, outcome }) => `${verb} ${outcome.is}`));
    expect(verbs.size).toBeGreaterThan(11);
    expect(commits.length).toBeGreaterThan(50);
    expect(Object.values(countChecks(legalHistory(1, 1000))).every((count) => count > 20)).toBe(true);
    expect(countChecks({ calls, lists: [], watches: [] })).toMatchObject({
      "calls-are-linearizable": calls.length,
      "revisions-rise": 0,
      "watches-are-complete": 0,
      "lists-are-snapshots": 0,
    });
    expect(watches.some(({ frames }) => frames.length > 5)).toBe(true);
    expect(lists.some(({ pages }) => pages.length > 1)).toBe(true);
  });
});

describe("a violation is detected in a history in which", () => {
  test.each(Object.entries(mutations))("%s", (_, mutate) => {
    let applied = 0;
    fc.assert(
      fc.property(seed, seed, (one, other) => {
        const broken = mutate(legalHistory(one, 400), new SeededRandom(other));
        // Not every history can be mutated in each way; other histories are drawn again, and not
        // counted.
        fc.pre(broken !== undefined);
        applied++;
        expect(checkHistory(broken)).not.toEqual([]);
      }),
      { numRuns: 10 },
    );
    expect(applied).toBe(10);
  });
});
