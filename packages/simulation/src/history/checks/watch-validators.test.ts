import { describe, expect, test } from "vitest";
import type { WatchStream } from "../history.ts";
import { aCall, aDelete, aHistory, aPut, aWatch, ok } from "../testing/builders.ts";
import { checkWatchEnds } from "./watch-ends.ts";
import { checkWatches } from "./watch-validators.ts";

const commits = [
  aPut(3, "a", { v: "one" }),
  aPut(5, "b", { v: "two" }),
  aPut(6, "a", { v: "three" }),
  aDelete(8, "b", { v: "two" }),
  aPut(9, "b", { v: "four" }),
];
const all = ["ADDED a@3 one", "ADDED b@5 two", "MODIFIED a@6 three", "DELETED b@8 two", "ADDED b@9 four"];
const vTwo = { selector: { v: "two" } };

test.each<[string, WatchStream]>([
  ["everything", aWatch(1, all)],
  ["from the middle", aWatch(5, all.slice(2))],
  ["nothing yet", aWatch(9, [])],
  ["broken off", aWatch(1, all.slice(0, 2), { end: "broken" })],
  ["with bookmarks", aWatch(1, ["ADDED a@3 one", "BOOKMARK 4", "ADDED b@5 two", "MODIFIED a@6 three", "BOOKMARK 7"])],
  ["of one key", aWatch(1, ["ADDED b@5 two", "DELETED b@8 two", "ADDED b@9 four"], { prefix: "b" })],
  ["of one value", aWatch(1, ["ADDED b@5 two", "DELETED b@8 two", "BOOKMARK 9"], vTwo)],
  ["of a value that an object loses", aWatch(1, ["ADDED a@3 one", "DELETED a@6 one"], { selector: { v: "one" } })],
])("watches-are-complete holds for a watch: %s", (_, watch) => {
  expect(checkWatches(aHistory({ commits, watches: [watch] }))).toEqual([]);
});

test.each<[string, WatchStream]>([
  ["Filter: c@5", aWatch(4, ["ADDED c@5 two"], { prefix: "b" })],
  ["Filter: the value", aWatch(1, ["ADDED a@3 one"], vTwo)],
  ["Ordered", aWatch(1, ["ADDED b@5 two", "ADDED a@3 one"])],
  ["Ordered: before it began", aWatch(5, ["ADDED b@5 two"])],
  ["Unique", aWatch(1, ["ADDED a@3 one", "ADDED a@3 one"])],
  ["Atomic", aWatch(1, ["ADDED a@3 one", "ADDED b@3 one"])],
  ["Bookmarkable: an event after its bookmark", aWatch(1, ["BOOKMARK 3", "ADDED a@3 one"])],
  ["Bookmarkable: a bookmark that decreases", aWatch(1, ["ADDED a@3 one", "BOOKMARK 2"])],
  ["Resumable", aWatch(1, ["ADDED b@5 two"])],
  ["Reliable: a gap", aWatch(1, ["ADDED a@3 one", "MODIFIED a@6 three"])],
  ["Reliable: a gap before a bookmark", aWatch(1, ["ADDED a@3 one", "BOOKMARK 5"])],
  ["Reliable: a change that never occurred", aWatch(1, ["ADDED a@3 one", "MODIFIED a@4 one", "ADDED b@5 two"])],
  ["IsCreate: an addition", aWatch(5, ["ADDED a@6 three"])],
  ["IsCreate: a change", aWatch(1, ["MODIFIED a@3 one"])],
  ["IsCreate: a deletion", aWatch(6, ["MODIFIED b@8 two"])],
  ["PrevKV: the present value", aWatch(1, ["ADDED a@3 two"])],
  ["PrevKV: the previous value", aWatch(6, ["DELETED b@8 one"])],
  ["PrevKV: an object that left the selection", aWatch(3, ["DELETED a@6 three"], { selector: { v: "one" } })],
])("watches-are-complete is broken: %s", (name, watch) => {
  const messages = checkWatches(aHistory({ commits, watches: [watch] })).map(({ message }) => message);
  expect(messages.join("\n")).toContain(name.split(":")[0]);
});

test("without a log, a watch is checked against its own contents", () => {
  const broken = [aWatch(1, ["ADDED b@5 two", "ADDED a@3 one"]), aWatch(1, ["BOOKMARK 3", "ADDED a@3 one"])];
  expect(checkWatches(aHistory({ watches: broken }))).toHaveLength(2);
  expect(checkWatches(aHistory({ watches: [aWatch(1, ["ADDED b@5 two"])] }))).toEqual([]);
});

describe("the end of a watch", () => {
  const seen = aCall("get b", [1, 2], { outcome: ok(9, { v: "four" }) });
  const endsOf = (watch: WatchStream, eventsMin = 3) =>
    checkWatchEnds(aHistory({ calls: [seen], commits, watches: [watch] }), { eventsMin, durationMs: 0 }).map(
      ({ message }) => message,
    );

  test.each<[string, WatchStream]>([
    ["from a past revision that enough changes follow", aWatch(3, [], { end: "expired" })],
    ["from the future", aWatch(10, [], { end: "ahead" })],
    ["without an error", aWatch(9, [])],
  ])("watches-are-complete holds: %s", (_, watch) => {
    expect(endsOf(watch)).toEqual([]);
  });

  test("410 although no revision can have been compacted breaks watches-are-complete", () => {
    expect(endsOf(aWatch(6, [], { end: "expired" }))).toEqual([
      "watcher#1 watch from 6 was rejected as expired, although only 2 changes had followed",
    ]);
  });

  test("410 although the following changes are recent breaks watches-are-complete", () => {
    const timed = commits.map((commit) => ({ ...commit, atMs: 1990 }));
    const watches = [aWatch(1, [], { end: "expired" })];
    expect(checkWatchEnds(aHistory({ commits: timed, watches }), { eventsMin: 3, durationMs: 10 })).toEqual([]);
    expect(checkWatchEnds(aHistory({ commits: timed, watches }), { eventsMin: 3, durationMs: 11 })).toHaveLength(1);
  });

  test("504 for an observed revision breaks watches-are-complete", () => {
    expect(endsOf(aWatch(9, [], { end: "ahead" }))).toEqual([
      "watcher#1 watch from 9 was rejected as from the future, although revision 9 was observed before",
    ]);
  });

  test("serving a watch from the future breaks watches-are-complete", () => {
    const later = commits.map((commit, index) => ({ ...commit, atMs: index === 4 ? 5000 : 0 }));
    const watch = aWatch(9, ["BOOKMARK 9"]);
    const history = aHistory({ commits: later, watches: [watch] });
    expect(checkWatchEnds(history, { eventsMin: 3, durationMs: 0 })).toHaveLength(1);
  });
});
