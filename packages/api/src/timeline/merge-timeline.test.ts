import { expect, test } from "vitest";
import { profiles } from "../profiles.ts";
import { type EventEntry, type JournalEntry, mergeTimeline } from "./merge-timeline.ts";

const journal = (timeMs: number, what: string, detail: string): JournalEntry => ({
  timeMs,
  revision: 1,
  kind: "Node",
  namespace: "",
  name: "node-1",
  node: "node-1",
  what,
  detail,
});
const event = (timeMs: number, reason: string, message: string): EventEntry => ({
  timeMs,
  kind: "Pod",
  namespace: "default",
  name: "web",
  reason,
  message,
});

test("journal and events have a common order, with an event after its cause", () => {
  const lines = mergeTimeline(
    {
      journal: [journal(5_400, "condition", "Ready=Unknown"), journal(1_200, "condition", "Ready=True")],
      events: [event(5_000, "NodeNotReady", "Node is not ready"), event(11_000, "Scheduled", "…")],
    },
    profiles.fast,
  );
  expect(lines.map((line) => [line.sinceFirstMs, line.object, line.what])).toEqual([
    [0, "node/node-1", "condition"],
    [4_200, "node/node-1", "condition"],
    [3_800, "pod/web", "NodeNotReady"],
    [9_800, "pod/web", "Scheduled"],
  ]);
});

test("a node's entry with second precision is placed at its commit, within that second", () => {
  const lines = mergeTimeline(
    {
      journal: [
        journal(5_010, "created", ""),
        journal(5_020, "bound", "node-1"),
        { ...journal(5_000, "container-running", "main"), committedMs: 6_100 },
        journal(5_900, "phase", "Running"),
        { ...journal(6_000, "container-terminated", "main"), committedMs: 6_300 },
        journal(6_200, "condition", "Ready=False"),
      ],
      events: [event(5_000, "Started", "…")],
    },
    profiles.fast,
  );
  expect(lines.map(({ what, exactToMs }) => [what, exactToMs])).toEqual([
    ["created", true],
    ["bound", true],
    ["phase", true],
    ["container-running", false],
    ["Started", false],
    ["condition", true],
    ["container-terminated", false],
  ]);
});

test("an event takes one line, whatever a probe printed, and states its count", () => {
  const unhealthy = { ...event(5_000, "Unhealthy", "Liveness probe failed: cat: a: no\n  cat: b: no\n"), count: 2 };
  const [line] = mergeTimeline({ journal: [], events: [unhealthy] }, profiles.fast);
  expect(line?.detail).toBe("Liveness probe failed: cat: a: no cat: b: no (x2)");
});

test("an entry that waits for a timer by design names the timer", () => {
  const lines = mergeTimeline(
    {
      journal: [
        journal(5_000, "condition", "Ready: True → Unknown (NodeStatusUnknown)"),
        { ...journal(6_000, "container-waiting", "main: CrashLoopBackOff"), kind: "Pod" },
      ],
      events: [
        event(10_000, "TaintManagerEviction", "Marking for deletion Pod default/web"),
        event(10_000, "TaintManagerEviction", "Cancelling deletion of Pod default/web"),
      ],
    },
    profiles.kubernetes,
  );
  expect(lines.map((line) => line.explained)).toEqual([
    "after 50 s without a heartbeat",
    "from 10 s, doubling, to 300 s; the first restart has no delay",
    "after 300 s of toleration, unless the pod specifies another time",
    undefined,
  ]);
});

test("an event whose write was watched is placed at its exact time", () => {
  const lines = mergeTimeline(
    {
      journal: [journal(5_400, "condition", "Ready=Unknown")],
      events: [{ ...event(5_100, "NodeNotReady", "Node is not ready"), exactToMs: true }],
    },
    profiles.fast,
  );
  expect(lines.map((line) => [line.timeMs, line.what, line.exactToMs])).toEqual([
    [5_100, "NodeNotReady", true],
    [5_400, "condition", true],
  ]);
});

test("an empty input results in an empty timeline", () => {
  expect(mergeTimeline({ journal: [], events: [] }, profiles.fast)).toEqual([]);
});
