import type { TimelineEntry } from "@kintsugi/api";
import { expect, test } from "vitest";
import { chaptersOf } from "./chapters.ts";

type Told = [timeMs: number, object: string, what: string, detail?: string];

const stepsOf = (...told: Told[]): TimelineEntry[] =>
  told.map(([timeMs, object, what, detail = ""], revision) => {
    const [name = "", on = ""] = object.split("@");
    const about = object.startsWith("node-")
      ? ({ kind: "Node", namespace: "", node: name } as const)
      : ({ kind: "Pod", namespace: "default", node: on } as const);
    return { timeMs, revision, ...about, name, what, detail };
  });
const told = (...steps: Told[]) =>
  chaptersOf(stepsOf(...steps)).map(({ text, steps: own }) => `${own.length}: ${text}`);
const start = (atMs: number, name: string, node: string): Told[] => [
  [atMs, `${name}@`, "created"],
  [atMs + 1, `${name}@${node}`, "bound", node],
  [atMs + 2, `${name}@${node}`, "container-waiting", "c: ContainerCreating"],
  [atMs + 800, `${name}@${node}`, "phase", "Running"],
  [atMs + 900, `${name}@${node}`, "condition", "Ready=True"],
];

test("the steps of a pod's start are one chapter, and pods that start together share it", () => {
  expect(told(...start(0, "web-8556fcd85-xwp4p", "node-1"))).toEqual([
    "5: web-8556fcd85-xwp4p started on node-1: Ready after 0.9 s",
  ]);
  expect(told(...start(0, "web-8556fcd85-xwp4p", "node-1"), ...start(100, "web-8556fcd85-mh2s6", "node-2"))).toEqual([
    "10: 2 pods of web started on 2 nodes: Ready after 1.0 s",
  ]);
});

test("a container that a node reports to the second is part of its pod's start", () => {
  const reported: Told = [1_000, "web-0@node-1", "container-running", "c"];
  expect(told(reported, ...start(1_400, "web-0", "node-1"))).toEqual(["6: web-0 started on node-1: Ready after 0.9 s"]);
});

test("the taint of a node that joins is part of its joining, in either order of the records", () => {
  const taint = "node.kubernetes.io/not-ready:NoSchedule";
  expect(
    told(
      [0, "node-1", "created"],
      [0, "node-1", "condition", "Ready=True (KubeletReady)"],
      [0, "node-1", "taint-added", taint],
      [40, "node-1", "taint-removed", taint],
      [60_000, "node-1", "taint-added", taint],
    ),
  ).toEqual(["4: node-1 joined", "1: "]);
});

test("a node's death is a chapter, and the end of its pods is a chapter from the first deletion to the last", () => {
  const [one, two] = ["web-8556fcd85-xwp4p@node-2", "web-8556fcd85-mh2s6@node-2"];
  expect(
    told(
      [0, "node-2", "condition", "Ready=Unknown (NodeStatusUnknown)"],
      [10, "node-2", "taint-added", "node.kubernetes.io/unreachable:NoExecute"],
      [5_000, one, "terminating", "grace period 30 s"],
      [5_000, two, "terminating", "grace period 30 s"],
      [36_000, one, "phase", "Failed"],
      [36_000, one, "deleted"],
      [36_000, two, "deleted"],
      [36_100, "node-2", "condition", "Ready=True (KubeletReady)"],
    ),
  ).toEqual([
    "2: node-2 is NotReady: it no longer reports",
    "5: 2 pods of web on node-2 were deleted: gone after 31 s",
    "1: node-2 is Ready",
  ]);
});

test("a crash, its back-off and its restart are one chapter each time", () => {
  const pod = "web-0@node-1";
  expect(
    told(
      ...start(0, "web-0", "node-1"),
      [60_000, pod, "container-terminated", "c: Error, exit code 1"],
      [60_001, pod, "condition", "Ready=False (ContainersNotReady)"],
      [60_100, pod, "container-waiting", "c: CrashLoopBackOff"],
      [70_000, pod, "container-running", "c: restart 2"],
      [70_100, pod, "condition", "Ready=True"],
    ),
  ).toEqual([
    "5: web-0 started on node-1: Ready after 0.9 s",
    "3: web-0 lost container c: Error, exit code 1, waits: c: CrashLoopBackOff",
    "2: web-0 runs again",
  ]);
});

test("conditions that follow a crash some time later are named by their state", () => {
  const pod = "web-0@node-1";
  expect(
    told(
      [0, pod, "container-terminated", "c: Error, exit code 137"],
      [3_500, pod, "condition", "Ready=Unknown (NodeStatusUnknown)"],
      [3_500, pod, "condition", "Ready=False (NodeNotReady)"],
    ),
  ).toEqual(["1: web-0 lost container c: Error, exit code 137", "2: web-0 is NotReady"]);
});

test("steps that arrive out of order are shown in the order of time", () => {
  const chapters = chaptersOf(stepsOf([9_000, "node-2", "condition", "Ready=True"], [0, "node-1", "cordoned"]));
  expect(chapters.map(({ atMs }) => atMs)).toEqual([0, 9_000]);
});

test("nodes that join are one chapter, which does not include their later reports", () => {
  expect(
    told(
      [0, "node-1", "created"],
      [5, "node-2", "created"],
      [100, "node-1", "condition", "Ready=True (KubeletReady)"],
      [110, "node-2", "condition", "Ready=True (KubeletReady)"],
      [60_000, "node-1", "condition", "Ready=Unknown (NodeStatusUnknown)"],
    ),
  ).toEqual(["4: 2 nodes joined", "1: node-1 is NotReady: it no longer reports"]);
});
