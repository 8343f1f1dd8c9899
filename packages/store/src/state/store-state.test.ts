import { describe, expect, test } from "vitest";
import type { CommittedChange, Entry } from "../store.ts";
import { ChangeWindow } from "./change-window.ts";
import { StoreState } from "./store-state.ts";

const limits = { durationMs: 1000, eventsMin: 0, eventsMax: 10, bytesMax: 2 ** 20 };
const pods = "core/pods";

function anEntry(name: string, revision: number): Entry {
  return { key: `${pods}/default/${name}`, revision, value: new Uint8Array(), index: { uid: name } };
}

function aPut(name: string, revision: number, before?: Entry): CommittedChange {
  return { revision, resource: pods, previousOfResource: 0, type: "put", entry: anEntry(name, revision), before };
}

function aState(...changes: readonly CommittedChange[]): StoreState {
  const state = new StoreState({ windowLimitsOf: () => limits });
  for (const change of changes) state.apply(change, 0);
  return state;
}

describe("a change that cannot occur in the store's memory is a programming error:", () => {
  const first = aPut("web", 5);

  test.each<[string, CommittedChange, string]>([
    ["an older change", aPut("db", 4), "revision 4 does not follow 5"],
    ["a duplicate change", first, "revision 5 does not follow 5"],
    [
      "a creation of an existing object",
      aPut("web", 6),
      "replaces undefined at core/pods/default/web, where 5 is stored",
    ],
    ["an update of a missing object", aPut("db", 6, anEntry("db", 3)), "replaces 3 at core/pods/default/db"],
    ["an update of an older state", aPut("web", 6, anEntry("web", 4)), "replaces 4 at core/pods/default/web, where 5"],
    [
      "a deletion of a missing object",
      { ...aPut("db", 6), type: "delete" },
      "deletes core/pods/default/db, where no object is stored",
    ],
    [
      "a change whose entry belongs to another",
      { ...aPut("db", 6), entry: anEntry("db", 7) },
      "states that it is of 7",
    ],
  ])("%s", (_, change, broken) => {
    const state = aState(first);
    expect(() => state.apply(change, 0)).toThrow(broken);
    expect([state.revision, state.count(`${pods}/`)]).toEqual([5, 1]);
  });
});

test("a change that follows the value at its key is accepted", () => {
  const first = aPut("web", 5);
  const state = aState(first, aPut("web", 6, first.entry), aPut("db", 8));
  state.apply({ ...aPut("web", 9, anEntry("web", 6)), type: "delete" }, 0);
  expect([state.revision, state.count(`${pods}/`)]).toEqual([9, 1]);
});

describe("the window of a resource's changes", () => {
  test("that receives an older change than its last is a programming error", () => {
    const window = new ChangeWindow(limits, 0);
    window.append(aPut("a", 3), 0);
    expect(() => window.append(aPut("b", 3), 0)).toThrow("revision 3 is kept after 3");
  });

  test("that receives a change which it has dropped is a programming error, even when it is empty", () => {
    const window = new ChangeWindow(limits, 4);
    expect(() => window.append(aPut("a", 4), 0)).toThrow("revision 4 is kept after 4");
    window.append(aPut("a", 5), 0);
    window.trim(limits.durationMs);
    expect([window.floor, window.since(5)]).toEqual([5, []]);
    expect(() => window.append(aPut("a", 5), 0)).toThrow("revision 5 is kept after 5");
  });
});
