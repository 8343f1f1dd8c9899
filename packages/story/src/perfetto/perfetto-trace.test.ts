import type { TimelineEntry } from "@kintsugi/api";
import { expect, test } from "vitest";
import { rememberOwner, type WorkloadRef } from "../owners.ts";
import { perfettoTrace } from "./perfetto-trace.ts";
import type { TraceEvent } from "./trace-event.ts";

const step = (timeMs: number, object: string, what: string, detail = ""): TimelineEntry => {
  const [kind = "", name = ""] = object.split("/");
  const isNode = kind === "node";
  return {
    timeMs,
    revision: timeMs,
    kind: isNode ? "Node" : "Pod",
    namespace: isNode ? "" : "default",
    name,
    node: isNode ? name : "",
    what,
    detail,
  };
};

const steps = [
  step(0, "node/n1", "condition", "Ready=True"),
  step(0, "node/n2", "condition", "Ready=True"),
  step(1_000, "pod/web-bbbbb", "created"),
  step(1_100, "pod/web-bbbbb", "bound", "n1"),
  step(2_000, "pod/web-bbbbb", "condition", "Ready=True"),
  step(3_000, "pod/web-bbbbb", "container-terminated", "c: Error, exit code 1"),
  step(50_000, "node/n1", "condition", "Ready=Unknown"),
  step(50_100, "node/n1", "taint-added", "node.kubernetes.io/unreachable:NoExecute"),
  step(60_000, "pod/web-bbbbb", "terminating", "grace period 30 s"),
  step(60_050, "pod/web-ccccc", "created"),
  step(60_060, "pod/web-ccccc", "bound", "n2"),
  step(62_000, "pod/web-ccccc", "condition", "Ready=True"),
];
const markup = "<script>alert(1)</script>";
const events = [
  { timeMs: 3_000, kind: "Pod", namespace: "default", name: "web-bbbbb", reason: "BackOff", message: markup, count: 3 },
  {
    timeMs: 60_000,
    kind: "ReplicaSet",
    namespace: "default",
    name: "web",
    reason: "SuccessfulCreate",
    message: "made",
  },
];
const workloads = new Map<string, WorkloadRef>();
rememberOwner(workloads, "ReplicaSet", { namespace: "default", name: "web" });

const { traceEvents, displayTimeUnit } = perfettoTrace({ steps, events, workloads, endMs: 70_000 }, "lab");
const of = <P extends TraceEvent["ph"]>(ph: P) =>
  traceEvents.filter((each): each is Extract<TraceEvent, { ph: P }> => each.ph === ph);
const trackNames = new Map(
  of("M").flatMap(({ name, pid, tid, args }) =>
    name === "thread_name" && "name" in args ? [[`${pid}/${tid}`, args.name]] : [],
  ),
);
const trackOf = ({ pid, tid }: { pid: number; tid: number }) => trackNames.get(`${pid}/${tid}`);

test("nodes and pods have tracks, with a span for each of their states", () => {
  expect(displayTimeUnit).toBe("ms");
  expect([...trackNames.values()]).toEqual([
    "n1",
    "default/web-bbbbb",
    "n2",
    "default/web-ccccc",
    "ReplicaSet default/web",
  ]);
  const spans = of("X").map((each) => [trackOf(each), each.name, each.ts, each.dur]);
  expect(spans).toContainEqual(["n1", "ready", 0, 50_000_000]);
  expect(spans).toContainEqual(["n1", "silent, its pods are evicted", 50_100_000, 19_900_000]);
  expect(spans).toContainEqual(["default/web-bbbbb", "ready", 2_000_000, 58_000_000]);
  expect(spans).toContainEqual(["default/web-ccccc", "ready", 62_000_000, 8_000_000]);
});

test("ends of containers, taints and Events are instants on the tracks of their objects", () => {
  expect(of("i").map((each) => [trackOf(each), each.name, each.args])).toEqual([
    ["default/web-bbbbb", "container ended", { detail: "c: Error, exit code 1" }],
    ["n1", "taint-added", { detail: "node.kubernetes.io/unreachable:NoExecute" }],
    ["default/web-bbbbb", "BackOff", { message: markup, count: 3 }],
    ["ReplicaSet default/web", "SuccessfulCreate", { message: "made" }],
  ]);
});

test("arrows lead from causes to effects, and each end is within a span of its track", () => {
  const ends = of("f");
  const arrows = of("s").map((from) => [
    from.name,
    trackOf(from),
    ...ends.filter(({ id }) => id === from.id).map((to) => trackOf(to)),
  ]);
  expect(arrows).toEqual([
    ["replaced by", "default/web-bbbbb", "default/web-ccccc"],
    ["evicted", "n1", "default/web-bbbbb"],
  ]);
  for (const { pid, tid, ts } of [...of("s"), ...ends]) {
    const around = of("X").filter((span) => span.pid === pid && span.tid === tid);
    expect(around.some((span) => span.ts <= ts && ts < span.ts + span.dur)).toBe(true);
  }
});
