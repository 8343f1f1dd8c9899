import { describe, expect, test } from "vitest";
import type { History } from "../history.ts";
import { checkLostUpdates } from "./lost-update.ts";
import { checkRevisions } from "./revisions.ts";
import { aCall, aHistory, aList, aPut, aWatch, ok, refused, unknown } from "../testing/builders.ts";

const one = { v: "one" };
const two = { v: "two" };
const created = aCall("create a", [1, 2], { outcome: ok(5, one) });

describe("revisions-rise", () => {
  test("holds if each revision means the same object to all clients", () => {
    const calls = [
      created,
      aCall("get a", [3, 4], { outcome: ok(5, one) }),
      aCall("update a", [5, 6], { outcome: ok(5, one) }),
    ];
    const history = aHistory({
      calls,
      commits: [aPut(5, "a", one)],
      watches: [aWatch(4, ["ADDED a@5 one"])],
      lists: [aList([7, 8], ["6: a@5 one"])],
    });
    expect(checkRevisions(history)).toEqual([]);
  });

  test.each<[string, Partial<History>]>([
    ["two objects have the same revision", { calls: [created, aCall("create b", [3, 4], { outcome: ok(5, one) })] }],
    ["two values have the same revision", { calls: [created, aCall("update a", [3, 4], { outcome: ok(5, two) })] }],
    ["two creates returned the same revision", { calls: [created, { ...created, id: 2 }] }],
    ["a watch reports another value", { calls: [created], watches: [aWatch(4, ["ADDED a@5 two"])] }],
    ["a list has another value", { calls: [created], lists: [aList([3, 4], ["6: a@5 two"])] }],
    ["commits repeat", { commits: [aPut(5, "a", one), aPut(5, "a", two)] }],
    ["commits decrease", { commits: [aPut(6, "a", one), aPut(5, "b", two)] }],
  ])("is broken: %s", (_, parts) => {
    expect(checkRevisions(aHistory(parts))).toContainEqual({
      invariant: "revisions-rise",
      message: expect.any(String),
    });
  });
});

describe("no-lost-updates", () => {
  const first = aCall("create n", [1, 2], { outcome: ok(1, { count: "0" }) });
  const raise = (start: number, outcome = ok(start, { count: "?" })) =>
    aCall("update n", [start, start + 1], { outcome, increments: "count", precondition: { revision: start - 1 } });
  const at = (count: number): History["finals"] => [
    { kind: "final", key: "n", item: { key: "n", revision: 9, value: { count: String(count) } } },
  ];

  test.each([1, 2])("holds for a counter that ends at %i after one certain and one possible increment", (count) => {
    const calls = [first, raise(2), raise(4, unknown), raise(6, refused(409))];
    expect(checkLostUpdates(aHistory({ calls, finals: at(count) ?? [] }))).toEqual([]);
  });

  test.each([0, 3])("is broken by a counter that ends at %i after one certain and one possible increment", (count) => {
    const calls = [first, raise(2), raise(4, unknown), raise(6, refused(409))];
    expect(checkLostUpdates(aHistory({ calls, finals: at(count) ?? [] }))).toEqual([
      {
        invariant: "no-lost-updates",
        message: `n count was incremented 1 times for certain and 1 times possibly, but has grown by ${count}`,
      },
    ]);
  });

  test("reads the counter from the log if no client has read it at the end", () => {
    const calls = [first, raise(2)];
    expect(
      checkLostUpdates(aHistory({ calls, commits: [aPut(1, "n", { count: "0" }), aPut(2, "n", { count: "1" })] })),
    ).toEqual([]);
    expect(checkLostUpdates(aHistory({ calls, commits: [aPut(1, "n", { count: "0" })] }))).toHaveLength(1);
  });

  test("is broken by two writers that both replaced the same revision", () => {
    const calls = [7, 8].map((revision) =>
      aCall("update a", [revision, 9], { outcome: ok(revision, one), precondition: { revision: 5 } }),
    );
    expect(checkLostUpdates(aHistory({ calls }))).toEqual([
      { invariant: "no-lost-updates", message: "client#7 update a and client#8 update a both replaced a@5" },
    ]);
  });
});
