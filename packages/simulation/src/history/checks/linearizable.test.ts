import { expect, test } from "vitest";
import type { Call, Commit } from "../history.ts";
import { checkAgainstLog } from "./linearizable.ts";
import { checkOrders } from "../object-model.ts";
import { aCall, aDelete, aHistory, aPut, ok, refused, unknown } from "../testing/builders.ts";

const one = { v: "one" };
const two = { v: "two" };
const created = aCall("create a", [1, 2], { outcome: ok(5, one) });
const updated = aCall("update a", [3, 6], { outcome: ok(7, two) });
const log = [aPut(5, "a", one), aPut(7, "a", two)];
const nobody: Commit[] = [];

test.each<[string, Call[], Commit[]]>([
  ["reads return the present value", [created, updated, aCall("get a", [7, 8], { outcome: ok(7, two) })], log],
  [
    "a read concurrent with a write returns either value",
    [
      created,
      updated,
      aCall("get a", [4, 5], { outcome: ok(5, one) }),
      aCall("get a", [4, 5], { outcome: ok(7, two) }),
    ],
    log,
  ],
  [
    "a write of unknown outcome never happened",
    [
      created,
      aCall("update a", [3, 4], { outcome: unknown, asked: two }),
      aCall("get a", [7, 8], { outcome: ok(5, one) }),
    ],
    log.slice(0, 1),
  ],
  [
    "a write of unknown outcome happened late",
    [
      created,
      aCall("update a", [3, 4], { outcome: unknown, asked: two }),
      aCall("get a", [7, 8], { outcome: ok(5, one) }),
      aCall("get a", [9, 10], { outcome: ok(7, two) }),
    ],
    log,
  ],
  [
    "a create of unknown outcome rejects the next create",
    [
      aCall("create a", [1, 2], { outcome: unknown, asked: one }),
      aCall("create a", [3, 4], { outcome: refused(409), asked: two }),
    ],
    log.slice(0, 1),
  ],
  [
    "a delete of unknown outcome permits a create",
    [created, aCall("delete a", [3, 4], { outcome: unknown }), aCall("create a", [5, 6], { outcome: ok(9, two) })],
    [aPut(5, "a", one), aDelete(8, "a"), aPut(9, "a", two)],
  ],
  [
    "an update without a change keeps the revision",
    [created, aCall("update a", [3, 4], { outcome: ok(5, one) })],
    log.slice(0, 1),
  ],
  [
    "one of two writers of the same revision is rejected",
    [
      created,
      { ...updated, precondition: { revision: 5 } },
      aCall("update a", [3, 5], { outcome: refused(409), precondition: { revision: 5 } }),
    ],
    log,
  ],
  [
    "a delete of one revision precedes an unconditional delete",
    [
      created,
      aCall("delete a", [3, 20], { outcome: ok() }),
      aCall("delete a", [4, 21], { outcome: ok(), precondition: { revision: 5 } }),
      aCall("create a", [5, 22], { outcome: ok(9, one) }),
    ],
    [aPut(5, "a", one), aDelete(8, "a"), aPut(9, "a", one), aDelete(11, "a")],
  ],
  [
    "an unacknowledged delete removed one revision, and the acknowledged delete the next",
    [
      created,
      aCall("delete a", [3, 4], { outcome: unknown, precondition: { revision: 5 } }),
      aCall("delete a", [5, 20], { outcome: ok() }),
      aCall("create a", [6, 21], { outcome: ok(9, one) }),
    ],
    [aPut(5, "a", one), aDelete(8, "a"), aPut(9, "a", one), aDelete(11, "a")],
  ],
])("calls-are-linearizable holds, with a log and without: %s", (_, calls, commits) => {
  expect(checkAgainstLog(aHistory({ calls, commits }))).toEqual([]);
  expect(checkOrders(aHistory({ calls }))).toEqual([]);
});

test.each<[string, Call[], Commit[]]>([
  ["a read is stale", [created, updated, aCall("get a", [7, 8], { outcome: ok(5, one) })], log],
  [
    "a read returns to the past",
    [
      created,
      updated,
      aCall("get a", [3.1, 3.5], { outcome: ok(7, two) }),
      aCall("get a", [4, 5], { outcome: ok(5, one) }),
    ],
    log,
  ],
  [
    "a read returns nothing although an object exists",
    [created, aCall("get a", [3, 4], { outcome: refused(404) })],
    log.slice(0, 1),
  ],
  ["a create over an object", [created, aCall("create a", [3, 4], { outcome: ok(7, two) })], log],
  ["an update of a missing object", [aCall("update a", [1, 2], { outcome: ok(5, one) })], log.slice(0, 1)],
  [
    "a precondition was ignored",
    [created, updated, aCall("update a", [7, 8], { outcome: ok(9, one), precondition: { revision: 5 } })],
    [...log, aPut(9, "a", one)],
  ],
  [
    "a create was rejected without a reason",
    [aCall("create a", [1, 2], { outcome: refused(409), asked: one })],
    nobody,
  ],
  [
    "a precondition that held was rejected",
    [
      created,
      aCall("get a", [2.1, 2.2], { outcome: ok(5, one) }),
      aCall("update a", [3, 4], { outcome: refused(409), precondition: { revision: 5 } }),
    ],
    log.slice(0, 1),
  ],
  [
    "an acknowledged delete did nothing",
    [created, aCall("delete a", [3, 4], { outcome: ok() }), aCall("get a", [5, 6], { outcome: ok(5, one) })],
    log.slice(0, 1),
  ],
  [
    "an acknowledged delete took effect before it began",
    [
      created,
      aCall("delete a", [3, 4], { outcome: ok() }),
      aCall("create a", [5, 6], { outcome: ok(9, one) }),
      aCall("delete a", [7, 8], { outcome: ok() }),
      aCall("get a", [9, 10], { outcome: ok(9, one) }),
    ],
    [aPut(5, "a", one), aDelete(7, "a"), aPut(9, "a", one)],
  ],
])("calls-are-linearizable is broken, with a log and without: %s", (_, calls, commits) => {
  expect(checkAgainstLog(aHistory({ calls, commits }))).toContainEqual({
    invariant: "calls-are-linearizable",
    message: expect.any(String),
  });
  expect(checkOrders(aHistory({ calls }))).toContainEqual({
    invariant: "calls-are-linearizable",
    message: expect.any(String),
  });
});

test.each<[string, Call[], Commit[]]>([
  ["an answer before the commit", [{ ...created, endMs: 2 }], [{ ...aPut(5, "a", one), atMs: 3 }]],
  [
    "a commit before the call",
    [aCall("create b", [1, 2], { outcome: ok(9, two) }), aCall("create a", [3, 4], { outcome: ok(5, one) })],
    [aPut(5, "a", one), aPut(9, "b", two)],
  ],
  ["a commit without a request", [created, aCall("get a", [3, 4], { outcome: ok(7, two) })], log],
  [
    "a rejected write that is present",
    [created, aCall("update a", [3, 4], { outcome: refused(429), asked: two })],
    log,
  ],
  [
    "a write of unknown outcome that was executed twice",
    [created, aCall("delete a", [3, 4], { outcome: unknown }), aCall("create a", [5, 6], { outcome: ok(9, two) })],
    [aPut(5, "a", one), aDelete(8, "a"), aPut(9, "a", two), aDelete(11, "a")],
  ],
])("calls-are-linearizable is broken, as only the log shows: %s", (_, calls, commits) => {
  expect(checkAgainstLog(aHistory({ calls, commits }))).toContainEqual({
    invariant: "calls-are-linearizable",
    message: expect.any(String),
  });
});
