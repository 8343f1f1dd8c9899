import { expect, test } from "vitest";
import type { History } from "../history.ts";
import { checkLists } from "./list-snapshot.ts";
import { aCall, aDelete, aHistory, aList, aPut, aWatch, ok } from "../testing/builders.ts";

const commits = [
  aPut(3, "a", { v: "one" }),
  aPut(5, "b", { v: "two" }),
  aPut(6, "a", { v: "three" }),
  aDelete(8, "b", { v: "two" }),
];
const expired = { is: "refused", status: 410, reason: "Expired" } as const;

test.each<[string, Partial<History>]>([
  ["of the state at its revision", { lists: [aList([1, 2], ["6: a@6 three, b@5 two"])] }],
  ["at a revision of another object", { lists: [aList([1, 2], ["7: a@6 three, b@5 two"])] }],
  ["in pages", { lists: [aList([1, 2], ["5: a@3 one", "5: b@5 two"])] }],
  ["with a rejected page", { lists: [aList([1, 2], ["5: a@3 one"], { outcome: expired })] }],
  ["of a selection", { lists: [aList([1, 2], ["6: b@5 two"], { selector: { v: "two" } })] }],
  [
    "at a requested revision",
    {
      calls: [aCall("get a", [0, 1], { outcome: ok(6, { v: "three" }) })],
      lists: [aList([2, 3], ["5: a@3 one, b@5 two"], { atRevision: 5 })],
    },
  ],
  [
    "that the events of a watch lead to",
    {
      lists: [aList([1, 2], ["5: a@3 one, b@5 two"]), aList([3, 4], ["8: a@6 three"])],
      watches: [aWatch(5, ["MODIFIED a@6 three", "DELETED b@8 two"])],
    },
  ],
])("lists-are-snapshots holds for a list %s", (_, parts) => {
  expect(checkLists(aHistory({ commits, ...parts }))).toEqual([]);
});

const dark = { commits: [] };
test.each<[string, Partial<History>, RegExp]>([
  ["two revisions", { ...dark, lists: [aList([1, 2], ["5: a@3 one", "6: b@5 two"])] }, /pages of the revisions 5, 6/],
  ["disorder", { ...dark, lists: [aList([1, 2], ["5: b@5 two, a@3 one"])] }, /has a twice, or out of order/],
  [
    "objects that were not requested",
    { ...dark, lists: [aList([1, 2], ["5: a@3 one"], { prefix: "b" })] },
    /contains a/,
  ],
  [
    "a revision that was not requested",
    { lists: [aList([1, 2], ["6: a@6 three, b@5 two"], { atRevision: 5 })] },
    /requested at revision 5 and is at 6/,
  ],
  ["a missing item", { lists: [aList([1, 2], ["6: a@6 three"])] }, /lacks b@5/],
  ["a missing page", { lists: [aList([1, 2], ["5: a@3 one"])] }, /lacks b@5/],
  ["an old item", { lists: [aList([1, 2], ["6: a@3 one, b@5 two"])] }, /has a@3 .* instead of a@6/],
  ["a deleted item", { lists: [aList([1, 2], ["8: a@6 three, b@5 two"])] }, /has 2 items instead of 1/],
  [
    "the past",
    {
      calls: [aCall("get a", [0, 1], { outcome: ok(6, { v: "three" }) })],
      lists: [aList([2, 3], ["5: a@3 one, b@5 two"])],
    },
    /is at revision 5, although 6 was observed/,
  ],
  [
    "the future",
    {
      commits: commits.map((commit) => ({ ...commit, atMs: commit.revision === 8 ? 99 : 0 })),
      lists: [aList([2, 3], ["8: a@6 three"])],
    },
    /the store had only reached 7/,
  ],
  [
    "a change that no watch has reported",
    {
      commits: [],
      lists: [aList([1, 2], ["5: a@3 one"]), aList([3, 4], ["8: a@6 three"])],
      watches: [aWatch(5, ["BOOKMARK 8"])],
    },
    /differs from a list at 5 with the watch/,
  ],
])("lists-are-snapshots is broken by a list with %s", (_, parts, message) => {
  const { commits: log, ...rest } = { commits, ...parts };
  const found = checkLists(aHistory(log.length > 0 ? { commits: log, ...rest } : rest));
  expect(found.map((violation) => violation.message).join("\n")).toMatch(message);
});
