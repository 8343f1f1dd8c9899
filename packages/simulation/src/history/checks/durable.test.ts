import { expect, test } from "vitest";
import { checkDurable } from "./durable.ts";
import type { Call, FinalState, History } from "../history.ts";
import { aCall, aDelete, aHistory, aPut, ok, refused, unknown } from "../testing/builders.ts";

const one = { v: "one" };
const two = { v: "two" };
const created = aCall("create a", [1, 2], { outcome: ok(5, one) });
const updated = aCall("update a", [3, 4], { outcome: ok(7, two) });
const deleted = aCall("delete a", [5, 6], { outcome: ok() });

function ends(calls: Call[], item?: FinalState["item"]): History {
  return aHistory({ calls, finals: [{ kind: "final", key: "a", ...(item && { item }) }] });
}

test.each<[string, History]>([
  ["the last write is present", ends([created, updated], { key: "a", revision: 7, value: two })],
  ["a deleted object is absent", ends([created, updated, deleted])],
  [
    "a write of unknown outcome took effect later",
    ends([created, aCall("update a", [3, 4], { outcome: unknown, asked: two })], { key: "a", revision: 9, value: two }),
  ],
  [
    "a delete of unknown outcome, begun before, took effect later",
    ends([aCall("delete a", [0, 9], { outcome: unknown }), created]),
  ],
  [
    "a patch of unknown outcome was partially applied",
    ends([created, aCall("patch a", [3, 4], { outcome: unknown, asked: { w: "x" } })], {
      key: "a",
      revision: 8,
      value: { v: "one", w: "x" },
    }),
  ],
  [
    "of two concurrent writes, the write with the higher revision",
    ends([aCall("update a", [1, 9], { outcome: ok(8, one) }), updated], { key: "a", revision: 8, value: one }),
  ],
  ["nothing was acknowledged", ends([aCall("create a", [1, 2], { outcome: refused(409) })])],
])("writes-are-durable holds: %s", (_, history) => {
  expect(checkDurable(history)).toEqual([]);
});

test.each<[string, History, RegExp]>([
  ["an acknowledged create is absent", ends([created]), /no client wrote the final value of a: that it does not exist/],
  [
    "an older value is back",
    ends([created, updated], { key: "a", revision: 5, value: one }),
    /client#3 update a was acknowledged, and the end is revision 5/,
  ],
  [
    "a deleted object is back",
    ends([created, deleted], { key: "a", revision: 5, value: one }),
    /client#5 delete a was acknowledged/,
  ],
  [
    "a delete was followed by a create, which is absent",
    ends([deleted, aCall("create a", [7, 8], { outcome: ok(9, one) })]),
    /client#7 create a was acknowledged/,
  ],
  [
    "a rejected write is present",
    ends([created, aCall("update a", [3, 4], { outcome: refused(409), asked: two })], {
      key: "a",
      revision: 9,
      value: two,
    }),
    /no client wrote the final value/,
  ],
  [
    "the log lacks an answered revision",
    aHistory({ calls: [created, updated], commits: [aPut(5, "a", one)] }),
    /revision 7, which is not in the log/,
  ],
  [
    "the log has another value",
    aHistory({ calls: [created], commits: [aPut(5, "a", two)] }),
    /and the log has \[\["v","two"\]\]/,
  ],
  [
    "the log has a delete instead",
    aHistory({ calls: [created], commits: [aDelete(5, "a")] }),
    /which is a delete of a/,
  ],
])("writes-are-durable is broken: %s", (_, history, message) => {
  expect(
    checkDurable(history)
      .map((violation) => violation.message)
      .join("\n"),
  ).toMatch(message);
  expect(checkDurable(history)).toContainEqual({ invariant: "writes-are-durable", message: expect.any(String) });
});
