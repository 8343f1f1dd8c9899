import type { TimelineEntry } from "@kintsugi/api";
import { expect, test } from "vitest";
import { recoveriesOf } from "./causes.ts";
import { rememberOwner, type WorkloadRef } from "./owners.ts";
import { recoveryTrace, type TraceSpan } from "./recovery-trace.ts";
import { replacementsOf } from "./replacements.ts";
import { ClusterStory } from "./story.ts";

const step = (timeMs: number, object: string, what: string, detail = ""): TimelineEntry => {
  const [kind = "", name = ""] = object.split("/");
  const about =
    kind === "node" ? ({ kind: "Node", namespace: "" } as const) : ({ kind: "Pod", namespace: "a" } as const);
  return { timeMs, revision: timeMs, ...about, name, node: kind === "node" ? name : "", what, detail };
};

const run = [
  step(0, "node/n1", "condition", "Ready=True"),
  step(1_000, "pod/web-bbbbb", "created"),
  step(1_010, "pod/web-bbbbb", "bound", "n1"),
  step(2_000, "pod/web-bbbbb", "condition", "Ready=True"),
  step(50_000, "node/n1", "condition", "Ready=Unknown"),
  step(55_100, "pod/web-bbbbb", "terminating"),
  step(55_150, "pod/web-ccccc", "created"),
  step(55_160, "pod/web-ccccc", "bound", "n2"),
  step(57_000, "pod/web-ccccc", "condition", "Ready=True"),
];

function traceOf(steps: readonly TimelineEntry[], untilMs: number): TraceSpan {
  const story = new ClusterStory();
  for (const each of steps) story.apply(each);
  const workloads = new Map<string, WorkloadRef>();
  rememberOwner(workloads, "ReplicaSet", { namespace: "a", name: "web" });
  const [recovery] = recoveriesOf(story.lanes, replacementsOf([...story.bars()], workloads), {
    defaultTolerationSeconds: 5,
  });
  if (recovery === undefined) throw new Error("there is no recovery");
  return recoveryTrace(recovery, untilMs);
}

const times = ({ name, fromMs, toMs }: TraceSpan) => [name, fromMs, toMs];

test("a recovery has a span for each phase, and for each replaced pod", () => {
  const trace = traceOf(run, 99_000);
  expect(times(trace)).toEqual(["recovery", 50_000, 57_000]);
  expect(trace.attributes).toEqual({
    "k8s.node.name": "n1",
    "kintsugi.recovery.over": true,
    "kintsugi.recovery.pods": 1,
  });
  expect(trace.parts.map(times)).toEqual([
    ["pods are tolerated on the node", 50_000, 55_100],
    ["successors are created", 55_100, 55_150],
    ["successors start", 55_150, 57_000],
    ["pod is replaced", 55_100, 57_000],
  ]);
  expect(trace.parts[0]?.attributes).toEqual({ "kintsugi.timer_ms": 5_000, "kintsugi.work_ms": 100 });
  expect(trace.parts[3]?.attributes).toMatchObject({
    "k8s.pod.name": "web-ccccc",
    "kintsugi.replaced_pod": "a/web-bbbbb",
  });
  expect(trace.parts[3]?.parts.map(times)).toEqual([
    ["successor is placed", 55_100, 55_150],
    ["successor starts", 55_150, 57_000],
  ]);
});

test("a node that returns later adds nothing to a finished recovery", () => {
  const back = step(70_000, "node/n1", "condition", "Ready=True");
  expect(traceOf([...run, back], 99_000)).toEqual(traceOf(run, 99_000));
});

test("an unfinished recovery lasts until now", () => {
  const trace = traceOf(run.slice(0, -1), 60_000);
  expect(times(trace)).toEqual(["recovery", 50_000, 60_000]);
  expect(trace.attributes["kintsugi.recovery.over"]).toBe(false);
  expect(trace.parts.map(times).at(-1)).toEqual(["pod is replaced", 55_100, 60_000]);
});

test("a node that returns in time has one phase", () => {
  const back = step(52_000, "node/n1", "condition", "Ready=True");
  expect(traceOf([...run.slice(0, 5), back], 99_000).parts.map(times)).toEqual([["node returns", 50_000, 52_000]]);
});
