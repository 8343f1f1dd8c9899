import { strict as assert } from "node:assert";
import type { ChangeEnvelope, ChangeMark } from "@kintsugi/api";

// The states of an informer that follows the server. `position` is the revision up to which the
// copy is known to be complete.
//
//            ┌──────────── 410, or another history ────────────┐
//            ▼                                                  │
//   start → list ──complete, subscribed before it──► stream ◄───┼── position has reached the anchor
//            │                                         │        │
//            └──no stream, or an older subscription──► watch ◄──┘── gap · mark ahead · noticed
//                                                                   · interrupted
//
// The stream's messages wait in `pending` while a list or a watch (both HTTP) is being read. The
// stream can be followed once the copy has reached the `anchor`: the revision before its first
// waiting message, or its last mark. Example: at position 5 the stream delivers 9 (previous 7).
// That is a gap, so the informer watches from 5 with anchor 7 and pending [9]. The watch delivers
// 7. Position 7 ≥ anchor, so 9 is applied from pending, the watch is closed, and the stream is
// followed again.

export interface FollowState {
  /** 0 before the first list. */
  readonly position: number;
  /** The history as the stream names it; undefined before its first message. */
  readonly historyId: string | undefined;
  readonly source: "none" | "list" | "watch" | "stream";
  readonly stream: "down" | "up";
  /**
   * The current list or watch began after the stream was connected, so there is no gap between
   * them.
   */
  readonly readSinceUp: boolean;
  readonly anchor: number | undefined;
  readonly pending: readonly ChangeEnvelope[];
}

export type FollowInput =
  | { is: "start" }
  | { is: "subscribed" }
  | { is: "interrupted" }
  | { is: "change"; change: ChangeEnvelope }
  | { is: "mark"; mark: ChangeMark }
  /**
   * A caller saw that the server has `revision`, and the stream has had time to deliver this
   * revision.
   */
  | { is: "noticed"; revision: number }
  /** The list is in the copy. */
  | { is: "listed"; revision: number }
  /** An event of the HTTP watch is in the copy. */
  | { is: "watched"; revision: number }
  /** The HTTP watch has sent everything up to `revision`. */
  | { is: "bookmark"; revision: number }
  /** The list or watch ended or failed. */
  | { is: "read-ended" }
  /** The server no longer stores the changes after the position. */
  | { is: "expired" }
  /** Changes after `position` could not be applied. */
  | { is: "not-applied"; position: number };

export type FollowAction =
  | { do: "apply"; changes: readonly ChangeEnvelope[] }
  /** Each of the three actions ends the current list or watch. */
  | { do: "list" }
  | { do: "watch"; from: number }
  | { do: "stop-reading" };

export interface FollowStep {
  readonly state: FollowState;
  readonly actions: readonly FollowAction[];
}

/**
 * Limit on messages that wait while a list or watch is read. Beyond it the oldest messages are
 * dropped, because the watch delivers them.
 */
export const pendingMax = 1024;

export const initialFollowState: FollowState = {
  position: 0,
  historyId: undefined,
  source: "none",
  stream: "down",
  readSinceUp: false,
  anchor: undefined,
  pending: [],
};

/** Decides the informer's next state after `input`. */
export function planInformerStep(state: FollowState, input: FollowInput): FollowStep {
  assertSound(state);
  const step = decide(state, input);
  assertSound(step.state);
  for (const action of step.actions)
    if (action.do === "apply") assertFollow(positionAfter(state, input), action.changes);
  return step;
}

/**
 * A follower of the stream does not hold back messages, and the messages that another follower
 * holds back do not leave a gap.
 */
function assertSound({ source, stream, position, anchor, pending }: FollowState): void {
  assert(position >= 0, `the copy is complete up to revision ${position}`);
  assert(pending.length <= pendingMax, `${pending.length} messages wait, more than the limit of ${pendingMax}`);
  if (source === "stream") {
    assert(stream === "up", "a stream that is down is followed");
    assert(pending.length === 0, `the stream is followed while ${pending.length} of its messages wait`);
    assert(anchor === undefined, `the stream is followed, but requires revision ${anchor} first`);
  }
  if (pending.length === 0) return;
  assert(stream === "up", "messages of a stream that is down wait");
  assert(anchor !== undefined, "messages wait, and the revision before them is not known");
  assertFollow(pending.at(-2)?.revision ?? anchor, pending.slice(-1));
}

/** Each change follows directly after the previous change, or overlaps with it. */
function assertFollow(position: number, changes: readonly ChangeEnvelope[]): void {
  assert(changes.length > 0, "there are no changes to apply");
  let known = position;
  for (const { previous, revision } of changes) {
    assert(previous <= known, `change ${revision} follows ${previous}, but only changes up to ${known} are known`);
    assert(revision > known, `change ${revision} is not new: all changes up to ${known} are known`);
    known = revision;
  }
}

/** Returns the revision up to which the copy is complete once the input has been applied. */
function positionAfter({ position }: FollowState, input: FollowInput): number {
  if (input.is === "listed" || input.is === "bookmark") return input.revision;
  return input.is === "watched" ? Math.max(position, input.revision) : position;
}

function decide(state: FollowState, input: FollowInput): FollowStep {
  switch (input.is) {
    case "start":
    case "expired":
      return list(state);
    case "subscribed":
      return afterSubscribed({ ...state, stream: "up", anchor: undefined, pending: [], readSinceUp: false });
    case "interrupted": {
      const down: FollowState = { ...state, stream: "down", anchor: undefined, pending: [], readSinceUp: false };
      return state.source === "stream" ? watch(down) : keep(down);
    }
    case "change":
      return afterChange(state, input.change);
    case "mark":
      return afterMark(state, input.mark);
    case "noticed":
      if (state.source !== "stream" || input.revision <= state.position) return keep(state);
      return watch({ ...state, pending: [], anchor: input.revision });
    case "listed":
      return afterListed({ ...state, position: input.revision });
    case "watched":
      return followStreamIfReached({ ...state, position: Math.max(state.position, input.revision) });
    case "bookmark":
      return afterBookmark(state, input.revision);
    case "read-ended":
      return afterReadEnded(state);
    case "not-applied":
      return watch({ ...state, position: input.position, pending: [], anchor: state.position });
  }
}

function afterSubscribed(state: FollowState): FollowStep {
  // A watch that begins now covers the changes before the stream was connected. The running watch
  // does not cover them.
  return state.source === "watch" ? watch(state) : keep(state);
}

function afterChange(state: FollowState, change: ChangeEnvelope): FollowStep {
  if (state.stream === "down") return keep(state);
  if (isOtherHistory(state, change.historyId)) {
    return list({ ...state, historyId: change.historyId, pending: [change], anchor: change.previous });
  }
  const known: FollowState = { ...state, historyId: change.historyId };
  if (known.source !== "stream") return followStreamIfReached(withPending(known, change));
  if (change.revision <= known.position) return keep(known);
  if (change.previous > known.position) return watch({ ...known, pending: [change], anchor: change.previous });
  return { state: { ...known, position: change.revision }, actions: [{ do: "apply", changes: [change] }] };
}

/** Returns true when `planInformerStep` would change nothing. */
export function saysNothing(state: FollowState, mark: ChangeMark): boolean {
  if (state.stream === "down") return true;
  return state.source === "stream" && state.historyId === mark.historyId && mark.revision <= state.position;
}

function afterMark(state: FollowState, mark: ChangeMark): FollowStep {
  if (state.stream === "down") return keep(state);
  if (isOtherHistory(state, mark.historyId)) {
    return list({ ...state, historyId: mark.historyId, pending: [], anchor: mark.revision });
  }
  const known: FollowState = { ...state, historyId: mark.historyId };
  const heard = Math.max(known.anchor ?? -1, known.pending.at(-1)?.revision ?? -1);
  if (known.source === "stream") {
    return mark.revision <= known.position ? keep(known) : watch({ ...known, pending: [], anchor: mark.revision });
  }
  if (known.anchor !== undefined && mark.revision <= heard) return followStreamIfReached(known);
  return followStreamIfReached({ ...known, pending: [], anchor: mark.revision });
}

function afterListed(state: FollowState): FollowStep {
  const anchored = withEvidence(state);
  return reached(anchored) ? followStream(anchored) : watch(anchored);
}

function afterBookmark(state: FollowState, revision: number): FollowStep {
  // Only a server with a different history can be behind its own earlier answers.
  if (revision < state.position) return list({ ...state, historyId: undefined });
  return followStreamIfReached(withEvidence({ ...state, position: revision }));
}

function afterReadEnded(state: FollowState): FollowStep {
  switch (state.source) {
    case "list":
      return list(state);
    case "watch":
      return watch(state);
    case "none":
    case "stream":
      return keep(state);
  }
}

/** A position of the stream counts only after a complete read since the stream was connected. */
function withEvidence(state: FollowState): FollowState {
  if (state.stream === "down" || !state.readSinceUp || state.anchor !== undefined) return state;
  return { ...state, anchor: state.position };
}

function withPending(state: FollowState, change: ChangeEnvelope): FollowState {
  const last = state.pending.at(-1)?.revision ?? state.anchor;
  if (last === undefined || change.previous > last) return { ...state, pending: [change], anchor: change.previous };
  if (change.revision <= last) return state;
  const pending = [...state.pending, change];
  if (pending.length <= pendingMax) return { ...state, pending };
  return { ...state, pending: pending.slice(1), anchor: pending[0]?.revision ?? change.previous };
}

function followStreamIfReached(state: FollowState): FollowStep {
  return state.source === "watch" && reached(state) ? followStream(state) : keep(state);
}

function reached(state: FollowState): boolean {
  return state.stream === "up" && state.anchor !== undefined && state.position >= state.anchor;
}

function followStream(state: FollowState): FollowStep {
  const changes = state.pending.filter((change) => change.revision > state.position);
  const position = changes.at(-1)?.revision ?? state.position;
  const actions: FollowAction[] = [{ do: "stop-reading" }];
  if (changes.length > 0) actions.push({ do: "apply", changes });
  return { state: { ...state, source: "stream", position, pending: [], anchor: undefined }, actions };
}

function list(state: FollowState): FollowStep {
  return { state: { ...state, source: "list", readSinceUp: state.stream === "up" }, actions: [{ do: "list" }] };
}

function watch(state: FollowState): FollowStep {
  return {
    state: { ...state, source: "watch", readSinceUp: state.stream === "up" },
    actions: [{ do: "watch", from: state.position }],
  };
}

function keep(state: FollowState): FollowStep {
  return { state, actions: [] };
}

function isOtherHistory(state: FollowState, historyId: string): boolean {
  return state.historyId !== undefined && state.historyId !== historyId;
}
