import type { TimelineEntry } from "@kintsugi/api";
import { expect, test } from "vitest";
import { rememberOwner, type WorkloadRef } from "../owners.ts";
import { perfettoTrace } from "./perfetto-trace.ts";

type Fields = Readonly<Record<string, unknown>>;

const isText = (value: unknown) => typeof value === "string" && value !== "";
const isTrack = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const isMicroseconds = (value: unknown) => typeof value === "number" && Number.isFinite(value) && value >= 0;
const metadataNames = new Set(["process_name", "thread_name", "process_sort_index", "thread_sort_index"]);

/** The fields that the trace event format requires of each phase that occurs here. */
const required: Readonly<Record<string, Readonly<Record<string, (value: unknown) => boolean>>>> = {
  X: { name: isText, ts: isMicroseconds, dur: isMicroseconds, pid: isTrack, tid: isTrack },
  i: {
    name: isText,
    ts: isMicroseconds,
    pid: isTrack,
    tid: isTrack,
    s: (value) => ["g", "p", "t"].includes(value as string),
  },
  M: {
    name: (value) => metadataNames.has(value as string),
    pid: isTrack,
    tid: isTrack,
    args: (value) => typeof value === "object",
  },
  s: { name: isText, cat: isText, id: isTrack, ts: isMicroseconds, pid: isTrack, tid: isTrack },
  f: {
    name: isText,
    cat: isText,
    id: isTrack,
    ts: isMicroseconds,
    pid: isTrack,
    tid: isTrack,
    bp: (value) => value === "e",
  },
};

/** Lists the faults of a JSON text by Google's "Trace Event Format". */
function formatFaults(text: string): string[] {
  const { traceEvents, displayTimeUnit } = JSON.parse(text) as { traceEvents: Fields[]; displayTimeUnit: string };
  const faults = ["ms", "ns"].includes(displayTimeUnit) ? [] : [`displayTimeUnit ${displayTimeUnit}`];
  traceEvents.forEach((event, i) => {
    const rules = required[event["ph"] as string];
    if (rules === undefined) return faults.push(`${i}: phase ${String(event["ph"])}`);
    for (const [field, holds] of Object.entries(rules))
      if (!holds(event[field]))
        faults.push(`${i}: ${field} of ${String(event["ph"])} is ${JSON.stringify(event[field])}`);
    return undefined;
  });
  return [...faults, ...nestingFaults(traceEvents), ...arrowFaults(traceEvents)];
}

/** Spans of one track are consecutive or nested. */
function nestingFaults(events: readonly Fields[]): string[] {
  const faults: string[] = [];
  const openOf = new Map<string, number[]>();
  const spans = events.filter(({ ph }) => ph === "X") as { ts: number; dur: number; pid: number; tid: number }[];
  for (const { ts, dur, pid, tid } of spans.toSorted((a, b) => a.ts - b.ts || b.dur - a.dur)) {
    const track = `${pid}/${tid}`;
    const open = (openOf.get(track) ?? []).filter((endTs) => endTs > ts);
    const end = ts + dur;
    if (open.some((endTs) => endTs < end)) faults.push(`a span of ${track} at ${ts} outlasts the one around it`);
    openOf.set(track, [...open, end]);
  }
  return faults;
}

/** An arrow has one start and one end, in this order. */
function arrowFaults(events: readonly Fields[]): string[] {
  const starts = events.filter(({ ph }) => ph === "s");
  const ends = events.filter(({ ph }) => ph === "f");
  const faults = starts.length === ends.length ? [] : [`${starts.length} starts and ${ends.length} ends`];
  for (const { id, name, ts } of starts) {
    const own = ends.filter((end) => end["id"] === id);
    const [end] = own;
    if (end === undefined || own.length !== 1 || end["name"] !== name || (end["ts"] as number) < (ts as number))
      faults.push(`arrow ${String(id)} has no end of its own behind it`);
  }
  return faults;
}

const step = (timeMs: number, object: string, what: string, detail = ""): TimelineEntry => {
  const [kind = "", name = ""] = object.split("/");
  const about =
    kind === "node" ? ({ kind: "Node", namespace: "" } as const) : ({ kind: "Pod", namespace: "a" } as const);
  return { timeMs, revision: timeMs, ...about, name, node: kind === "node" ? name : "", what, detail };
};

/** A node fails with two pods, returns, and dies again; a pod waits, crashes and fails. */
const run = [
  step(0, "node/n1", "condition", "Ready=True"),
  ...["bbbbb", "ccccc"].flatMap((name, i) => [
    step(1_000 + i, `pod/web-${name}`, "created"),
    step(3_500 + i, `pod/web-${name}`, "bound", "n1"),
    step(4_000 + i, `pod/web-${name}`, "condition", "Ready=True"),
    // A node's own time has whole seconds, and may precede the drawn step.
    step(3_000, `pod/web-${name}`, "container-terminated", 'c: "<b>", exit code 1'),
    step(3_000, `pod/web-${name}`, "container-running", "c: restart 1"),
  ]),
  step(50_000, "node/n1", "condition", "Ready=Unknown"),
  step(50_000, "node/n1", "taint-added", "node.kubernetes.io/unreachable:NoExecute"),
  step(60_000, "pod/web-bbbbb", "terminating"),
  step(60_000, "pod/web-ccccc", "terminating"),
  step(60_100, "pod/web-ddddd", "created"),
  step(60_100, "pod/web-ddddd", "bound", "n2"),
  step(60_200, "pod/web-ddddd", "condition", "Ready=True"),
  step(61_000, "node/n1", "condition", "Ready=True"),
  step(61_000, "pod/web-bbbbb", "deleted"),
  step(61_000, "pod/web-ccccc", "deleted"),
  step(70_000, "pod/web-ddddd", "phase", "Failed"),
  step(80_000, "node/n1", "condition", "Ready=Unknown"),
  step(81_000, "node/n1", "deleted"),
];
const workloads = new Map<string, WorkloadRef>();
rememberOwner(workloads, "ReplicaSet", { namespace: "a", name: "web" });
const events = [{ timeMs: 3_000, kind: "Job", namespace: "a", name: "x", reason: "</script>", message: "", count: 2 }];
const text = JSON.stringify(perfettoTrace({ steps: run, events, workloads, endMs: 90_000 }, "lab"));

test("a trace conforms to the trace event format", () => {
  expect(formatFaults(text)).toEqual([]);
});

test.each<[string, (event: Fields) => Fields | undefined, string]>([
  ["a span without a length", (event) => (event["ph"] === "X" ? { ...event, dur: undefined } : event), "dur of X"],
  ["a span that outlasts", (event) => (event["ph"] === "X" ? { ...event, dur: 1e12 } : event), "outlasts"],
  ["an arrow without an end", (event) => (event["ph"] === "f" ? undefined : event), "starts and 0 ends"],
  ["an unknown phase", (event) => (event["ph"] === "i" ? { ...event, ph: "!" } : event), "phase !"],
])("%s is detected", (_what, spoil, fault) => {
  const file = JSON.parse(text) as { traceEvents: Fields[] };
  const spoilt = { ...file, traceEvents: file.traceEvents.flatMap((event) => spoil(event) ?? []) };
  expect(formatFaults(JSON.stringify(spoilt)).join("\n")).toContain(fault);
});
