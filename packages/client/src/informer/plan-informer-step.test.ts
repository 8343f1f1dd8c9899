import type { ChangeEnvelope } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import {
  type FollowAction,
  type FollowInput,
  type FollowState,
  initialFollowState,
  pendingMax,
  planInformerStep,
  saysNothing,
} from "./plan-informer-step.ts";

describe("an informer that follows the stream", () => {
  const streaming = state({ source: "stream", position: 5, stream: "up", historyId: "h1" });

  test.each<[string, FollowInput, FollowAction[], Partial<FollowState>]>([
    ["applies the next change", message(6, 5), [apply(6, 5)], { position: 6 }],
    ["applies a change whose predecessor is part of its list", message(9, 3), [apply(9, 3)], { position: 9 }],
    ["ignores a change that it already has", message(5, 4), [], { position: 5 }],
    ["ignores an older change", message(3, 2), [], { position: 5 }],
    [
      "continues over HTTP at a gap",
      message(9, 7),
      [watchFrom(5)],
      { source: "watch", anchor: 7, pending: [change(9, 7)] },
    ],
    ["continues over HTTP when a mark is ahead", mark(8), [watchFrom(5)], { source: "watch", anchor: 8 }],
    ["does nothing at a mark of its position", mark(5), [], { source: "stream" }],
    [
      "continues over HTTP when another informer received more",
      { is: "noticed", revision: 7 },
      [watchFrom(5)],
      { anchor: 7 },
    ],
    ["does nothing when another informer received the same", { is: "noticed", revision: 5 }, [], { source: "stream" }],
    ["continues over HTTP after an interruption", { is: "interrupted" }, [watchFrom(5)], { stream: "down" }],
    [
      "lists when a change of another history arrives",
      message(2, 1, "h2"),
      [{ do: "list" }],
      { historyId: "h2", anchor: 1 },
    ],
    ["lists when another history's mark arrives", mark(2, "h2"), [{ do: "list" }], { historyId: "h2", anchor: 2 }],
    [
      "returns to the position where the cache is complete",
      { is: "not-applied", position: 4 },
      [watchFrom(4)],
      { anchor: 5, position: 4 },
    ],
  ])("%s", (_, ...[input, actions, expected]) => {
    const step = planInformerStep(streaming, input);
    expect(step.actions).toEqual(actions);
    expect(step.state).toMatchObject(expected);
  });
});

describe("an informer that watches over HTTP", () => {
  const behind = state({
    source: "watch",
    position: 5,
    stream: "up",
    historyId: "h1",
    anchor: 7,
    pending: [change(9, 7)],
  });

  test.each<[string, FollowState, FollowInput, FollowAction[], Partial<FollowState>]>([
    [
      "hands over to the stream once it has the stream's required position",
      behind,
      { is: "watched", revision: 7 },
      [{ do: "stop-reading" }, apply(9, 7)],
      { source: "stream", position: 9, pending: [] },
    ],
    [
      "continues over HTTP below the required position",
      behind,
      { is: "watched", revision: 6 },
      [],
      { source: "watch", position: 6 },
    ],
    [
      "does not apply a change again that the watch has delivered",
      behind,
      { is: "watched", revision: 9 },
      [{ do: "stop-reading" }],
      { source: "stream", position: 9 },
    ],
    ["collects the stream's messages", behind, message(10, 9), [], { pending: [change(9, 7), change(10, 9)] }],
    ["drops waiting messages before a gap", behind, message(14, 12), [], { pending: [change(14, 12)], anchor: 12 }],
    ["ignores a late message", behind, message(7, 5), [], { pending: [change(9, 7)], anchor: 7 }],
    ["waits for a mark that is ahead of its position", behind, mark(11), [], { pending: [], anchor: 11 }],
    ["ignores a mark of its position", behind, mark(9), [], { pending: [change(9, 7)], anchor: 7 }],
    [
      "hands over when a bookmark shows that it is complete",
      { ...behind, anchor: undefined, pending: [], readSinceUp: true },
      { is: "bookmark", revision: 8 },
      [{ do: "stop-reading" }],
      { source: "stream", position: 8 },
    ],
    [
      "does not trust a bookmark of a watch that is older than the subscription",
      { ...behind, anchor: undefined, pending: [], readSinceUp: false },
      { is: "bookmark", revision: 8 },
      [],
      { source: "watch", position: 8 },
    ],
    ["lists when a bookmark decreases", behind, { is: "bookmark", revision: 3 }, [{ do: "list" }], { source: "list" }],
    ["watches again when the watch ends", behind, { is: "read-ended" }, [watchFrom(5)], { source: "watch" }],
    ["lists when its position is compacted", behind, { is: "expired" }, [{ do: "list" }], { source: "list" }],
    [
      "begins a new watch when the stream connects",
      behind,
      { is: "subscribed" },
      [watchFrom(5)],
      { readSinceUp: true, pending: [] },
    ],
    [
      "continues when the stream disconnects",
      behind,
      { is: "interrupted" },
      [],
      { source: "watch", stream: "down", pending: [] },
    ],
  ])("%s", (_, ...[before, input, actions, expected]) => {
    const step = planInformerStep(before, input);
    expect(step.actions).toEqual(actions);
    expect(step.state).toMatchObject(expected);
  });
});

describe("an informer that lists", () => {
  test("follows the stream immediately if it was subscribed before", () => {
    const actions = run([{ is: "subscribed" }, { is: "start" }, { is: "listed", revision: 5 }]).actions;
    expect(actions).toEqual([{ do: "list" }, { do: "stop-reading" }]);
  });

  test("applies messages of the stream that arrived in the meantime, unless the list already has them", () => {
    const { actions, state: after } = run([
      { is: "subscribed" },
      { is: "start" },
      message(4, 3),
      message(6, 4),
      { is: "listed", revision: 5 },
    ]);
    expect(actions.at(-1)).toEqual(apply(6, 4));
    expect(after).toMatchObject({ source: "stream", position: 6 });
  });

  test("watches if there is no stream, or if the stream connected during the list", () => {
    expect(run([{ is: "start" }, { is: "listed", revision: 5 }]).actions.at(-1)).toEqual(watchFrom(5));
    expect(run([{ is: "start" }, { is: "subscribed" }, { is: "listed", revision: 5 }]).actions.at(-1)).toEqual(
      watchFrom(5),
    );
  });

  test("watches if the stream delivered a change beyond the list", () => {
    const { actions, state: after } = run([
      { is: "subscribed" },
      { is: "start" },
      message(9, 7),
      { is: "listed", revision: 5 },
    ]);
    expect(actions.at(-1)).toEqual(watchFrom(5));
    expect(after).toMatchObject({ anchor: 7, pending: [change(9, 7)] });
  });

  test("lists again when the list fails", () => {
    expect(run([{ is: "start" }, { is: "read-ended" }]).actions).toEqual([{ do: "list" }, { do: "list" }]);
  });
});

test("limits the waiting messages: the oldest are dropped, and the watch has to reach them", () => {
  let current = state({ source: "watch", position: 1, stream: "up", anchor: 5 });
  for (let revision = 10; revision < 10 + pendingMax + 3; revision++) {
    current = planInformerStep(current, message(revision, revision === 10 ? 5 : revision - 1)).state;
  }
  expect(current.pending.length).toBe(pendingMax);
  expect(current).toMatchObject({ anchor: 12 });
  expect(current.pending[0]?.previous).toBe(12);
});

test.each<[string, Partial<FollowState>, string]>([
  ["follows a stream that is down", { source: "stream" }, "a stream that is down is followed"],
  [
    "follows the stream and retains its messages",
    { source: "stream", stream: "up", pending: [change(6, 5)], anchor: 5 },
    "the stream is followed while 1 of its messages wait",
  ],
  [
    "follows the stream and waits for more first",
    { source: "stream", stream: "up", anchor: 7 },
    "the stream is followed, but requires revision 7 first",
  ],
  [
    "retains messages of a disconnected stream",
    { source: "watch", pending: [change(6, 5)], anchor: 5 },
    "messages of a stream that is down wait",
  ],
  [
    "does not have its messages' start position",
    { source: "watch", stream: "up", pending: [change(6, 5)] },
    "the revision before them is not known",
  ],
  [
    "retains messages with a gap between them",
    { source: "watch", stream: "up", anchor: 5, pending: [change(6, 5), change(9, 8)] },
    "change 9 follows 8, but only changes up to 6 are known",
  ],
  [
    "retains a message twice",
    { source: "watch", stream: "up", anchor: 5, pending: [change(6, 5), change(6, 5)] },
    "change 6 is not new: all changes up to 6 are known",
  ],
  ["is complete up to a negative revision", { position: -1 }, "the copy is complete up to revision -1"],
])("a state that %s is a programming error", (_, part, broken) => {
  expect(() => planInformerStep(state(part), { is: "read-ended" })).toThrow(broken);
});

function run(inputs: readonly FollowInput[]) {
  let current = initialFollowState;
  const actions: FollowAction[] = [];
  for (const input of inputs) {
    const step = planInformerStep(current, input);
    current = step.state;
    actions.push(...step.actions);
  }
  return { state: current, actions };
}

function state(part: Partial<FollowState>): FollowState {
  return { ...initialFollowState, ...part };
}

function change(revision: number, previous: number, historyId = "h1"): ChangeEnvelope {
  return { historyId, revision, previous, type: "put", namespace: "default", name: "web" };
}

function message(revision: number, previous: number, historyId?: string): FollowInput {
  return { is: "change", change: change(revision, previous, historyId) };
}

function mark(revision: number, historyId = "h1"): FollowInput {
  return { is: "mark", mark: { historyId, revision } };
}

function apply(revision: number, previous: number): FollowAction {
  return { do: "apply", changes: [change(revision, previous)] };
}

function watchFrom(from: number): FollowAction {
  return { do: "watch", from };
}

test("a notification without effect changes nothing", () => {
  const sources = ["none", "list", "watch", "stream"] as const;
  let said = 0;
  for (const source of sources) {
    for (const stream of ["up", "down"] as const) {
      // A stream that is down is never followed.
      if (source === "stream" && stream === "down") continue;
      for (const historyId of [undefined, "h1", "h2"]) {
        for (const position of [4, 5, 6]) {
          const before = state({ source, stream, position, historyId });
          if (!saysNothing(before, { historyId: "h1", revision: 5 })) continue;
          said++;
          expect(planInformerStep(before, mark(5))).toEqual({ state: before, actions: [] });
        }
      }
    }
  }
  expect(said).toBe(3 * 3 * 3 + 2);
});
