import { formatTimestamp, type Node, type Pod, profiles } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { appendLog, logPath } from "../data/log-stream.ts";
import { kindPath } from "../data/kinds.ts";
import { findAt, layOut } from "../drawing/layout.ts";
import { scaleFor, ticksOf, timeAt, xOf } from "../drawing/scale.ts";
import { type Bar, workloadByName, workloadKey, workloadOf } from "@kintsugi/story";
import { execCommand, explainCommand, logsCommand } from "./commands.ts";
import { shows, showAll } from "./filter.ts";
import { runningTimersOf } from "./running-timers.ts";
import { stepsOfNode, stepsOfPod } from "./seed.ts";
import { matchesSelector } from "./selectors.ts";
import { isTelling } from "./telling.ts";
import { clockText, lengthText } from "./words.ts";

const startMs = 1_767_225_600_000;
const at = (seconds: number) => formatTimestamp(startMs + seconds * 1000);

describe("running timers", () => {
  const node = (name: string, status: "True" | "Unknown"): Node => ({
    metadata: { name },
    status: { conditions: [{ type: "Ready", status, lastTransitionTime: at(0) }] },
  });

  test("are the timers of late nodes and of waiting pods, ordered by their end", () => {
    const waiting: Pod = {
      metadata: { name: "web", namespace: "default", creationTimestamp: at(0) },
      spec: { containers: [{ name: "c" }], nodeName: "n1" },
      status: {
        phase: "Running",
        conditions: [{ type: "Ready", status: "False" }],
        containerStatuses: [
          {
            name: "c",
            image: "",
            imageID: "",
            ready: false,
            restartCount: 2,
            state: {
              waiting: {
                reason: "CrashLoopBackOff",
                message: "back-off 10s restarting failed container=c pod=web_default(u)",
              },
            },
            lastState: { terminated: { exitCode: 1, finishedAt: at(8), startedAt: at(7), reason: "Error" } },
          },
        ],
      },
    };
    const leases = [{ metadata: { name: "n1", namespace: "kube-node-lease" }, spec: { renewTime: at(6) } }];
    const runningTimers = runningTimersOf({
      objects: { nodes: [node("n1", "True")], pods: [waiting], leases },
      timers: profiles.fast,
      nowMs: startMs + 9_000,
    });
    expect(runningTimers.map(({ about, timer, atMs }) => [about.name, timer, atMs - startMs])).toEqual([
      ["n1", "node grace period", 10_000],
      ["web", "restart back-off", 18_000],
    ]);
    expect(runningTimers[0]?.next).toContain("counts as silent");
  });

  test("are absent in a healthy cluster", () => {
    const leases = [{ metadata: { name: "n1" }, spec: { renewTime: at(9) } }];
    const world = { objects: { nodes: [node("n1", "True")], pods: [], leases }, timers: profiles.fast };
    expect(runningTimersOf({ ...world, nowMs: startMs + 9_500 })).toEqual([]);
  });
});

describe("the workload of a pod", () => {
  const owned = (kind: string, name: string, labels = {}): Pod => ({
    metadata: {
      name: "p",
      namespace: "a",
      labels,
      ownerReferences: [{ apiVersion: "apps/v1", kind, name, uid: "u", controller: true }],
    },
  });
  const byKey = (pod: Pod) => workloadKey(workloadOf(pod, () => undefined));

  test.each([
    [owned("StatefulSet", "db"), "a/StatefulSet/db"],
    [owned("ReplicaSet", "web-5d9", { "pod-template-hash": "5d9" }), "a/Deployment/web"],
    [owned("ReplicaSet", "bare"), "a/ReplicaSet/bare"],
    [{ metadata: { name: "p", namespace: "a" } } as Pod, "a/Pod/p"],
  ])("is its controller, or its controller's controller", (pod, key) => expect(byKey(pod)).toBe(key));

  const known = new Map(
    ["a/Deployment/web", "a/StatefulSet/db", "a/DaemonSet/agent", "b/Deployment/other"].map((key) => {
      const [namespace = "", kind = "", name = ""] = key.split("/");
      return [key, { namespace, kind, name }];
    }),
  );

  test.each([
    ["web-8556fcd85-x9cbm", "a/Deployment/web"],
    ["db-12", "a/StatefulSet/db"],
    ["agent-x9cbm", "a/DaemonSet/agent"],
    ["other-8556fcd85-x9cbm", "a/Pod/other-8556fcd85-x9cbm"],
    ["web-toolong-x9cbm", "a/Pod/web-toolong-x9cbm"],
  ])("is found by the name %s when the pod no longer exists", (name, key) => {
    expect(workloadKey(workloadByName({ namespace: "a", name }, known))).toBe(key);
  });
});

test("objects list their recorded steps in order", () => {
  const pod: Pod = {
    metadata: {
      name: "p",
      namespace: "a",
      creationTimestamp: at(0),
      deletionTimestamp: at(40),
      deletionGracePeriodSeconds: 30,
    },
    spec: { containers: [], nodeName: "n1" },
    status: {
      phase: "Running",
      startTime: at(2),
      conditions: [
        { type: "PodScheduled", status: "True", lastTransitionTime: at(1) },
        { type: "Ready", status: "True", lastTransitionTime: at(3) },
      ],
    },
  };
  expect(stepsOfPod(pod).map(({ timeMs, what, node }) => [(timeMs - startMs) / 1000, what, node])).toEqual([
    [0, "created", "n1"],
    [1, "bound", "n1"],
    [2, "phase", "n1"],
    [3, "condition", "n1"],
    [10, "terminating", "n1"],
  ]);
  const node: Node = { metadata: { name: "n1", creationTimestamp: at(0) }, spec: { unschedulable: true } };
  expect(stepsOfNode(node).map(({ what }) => what)).toEqual(["created", "cordoned"]);
});

describe("the picture", () => {
  const scale = scaleFor({ nowMs: 100_000, width: 1000, spanMs: 72_000 });

  test("places the present at one position, with times on both sides", () => {
    expect([xOf(scale, 100_000), xOf(scale, 28_000), timeAt(scale, 720)]).toEqual([720, 0, 100_000]);
    expect(ticksOf(scale)).toEqual([30_000, 40_000, 50_000, 60_000, 70_000, 80_000, 90_000, 100_000, 110_000, 120_000]);
  });

  test("finds the bar at a point", () => {
    const bar: Bar = {
      number: 1,
      namespace: "a",
      name: "p",
      node: "n1",
      row: 1,
      fromMs: 50,
      toMs: 90,
      spans: [],
      marks: [],
    };
    const row = { takenMs: 0, freeMs: Infinity, restedMs: -Infinity };
    const lane = { node: "n1", spans: [], bars: [bar], rows: [row, row] };
    const folding = { nowMs: 100, closeNowMs: 100, foldMs: 1_000, turnMs: 10 };
    const waiting = { node: "", spans: [], bars: [], rows: [] };
    const layout = layOut([waiting, lane], { rowHeight: 10, topY: 30, folding });
    expect(layout.lanes.map(({ topY, height }) => [topY, height])).toEqual([[30, 48]]);
    expect(findAt(layout, { y: 30 + 24 + 15, timeMs: 60 })).toEqual({ lane, bar });
    expect(findAt(layout, { y: 30 + 24 + 5, timeMs: 60 })).toEqual({ lane, bar: undefined });
    expect(findAt(layout, { y: 5, timeMs: 60 })).toBeUndefined();
  });
});

test("filters select by namespace, node, workload and trouble", () => {
  const bar = {
    namespace: "a",
    node: "n1",
    spans: [{ fromMs: 0, state: "ready", because: "" }],
    marks: [],
  } as unknown as Bar;
  const workload = { kind: "Deployment", namespace: "a", name: "web" };
  const isShown = (filter: object) => shows({ ...showAll, ...filter }, bar, () => workload);
  expect([{}, { namespace: "a" }, { node: "n1" }, { workload: "a/Deployment/web" }].map(isShown)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect([{ namespace: "b" }, { node: "n2" }, { workload: "a/Job/x" }, { onlyWarnings: true }].map(isShown)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

test("commands quote names that a shell would interpret", () => {
  const pod = { kind: "Pod", namespace: "a", name: "web" };
  expect(logsCommand(pod, { container: "c", previous: true })).toBe("kubectl -n a logs web -c c --previous");
  expect(execCommand({ ...pod, name: "x;rm -rf '/'" }, "c", ["sh"])).toBe(
    "kubectl -n a exec -it 'x;rm -rf '\\''/'\\''' -c c -- sh",
  );
  expect(explainCommand(pod)).toBe("kintsugi explain pod web -n a");
});

test("paths name a single namespace if the page is filtered by it, and nothing else", () => {
  expect(kindPath("pods", "")).toBe("/api/v1/pods");
  expect(kindPath("deployments", "a/../b")).toBe("/apis/apps/v1/namespaces/a%2F..%2Fb/deployments");
  expect(kindPath("nodes", "a")).toBe("/api/v1/nodes");
  expect(logPath({ namespace: "a", pod: "p", container: "c", previous: true })).toBe(
    "/api/v1/namespaces/a/pods/p/log?container=c&tailLines=500&previous=true",
  );
});

test("a log that is too long loses its oldest lines", () => {
  const line = `${"x".repeat(99)}\n`;
  const text = appendLog(line.repeat(6_000), "last\n");
  expect(text.length).toBeLessThanOrEqual(512 * 1024);
  expect(text.startsWith("x".repeat(99))).toBe(true);
  expect(text.endsWith("\nlast\n")).toBe(true);
});

test.each([
  [400, "0.4 s"],
  [12_300, "12 s"],
  [200_000, "3 min 20 s"],
  [300_000, "5 min"],
  [7_500_000, "2 h 5 min"],
  [-5, "0 s"],
  [30, "under 0.1 s"],
])("%d ms are %s", (ms, text) => expect(lengthText(ms)).toBe(text));

test("moments are written in UTC", () => expect(clockText(startMs + 3_723_000)).toBe("01:02:03"));

test("an empty selector matches nothing", () => {
  expect(matchesSelector(undefined, { app: "web" })).toBe(false);
  expect(matchesSelector({ app: "web" }, { app: "web", tier: "x" })).toBe(true);
  expect(matchesSelector({ app: "web" }, {})).toBe(false);
});

test.each([
  ["Pod", "condition", "ContainersReady=True", false],
  ["Pod", "condition", "Ready=False", true],
  ["Pod", "condition", "PodScheduled=False (Unschedulable)", true],
  ["Node", "condition", "MemoryPressure=Unknown", false],
  ["Node", "condition", "DiskPressure=True", true],
  ["Pod", "created", "", true],
] as const)("of %s %s %s is shown: %s", (kind, what, detail, shown) => {
  expect(isTelling({ kind, what, detail })).toBe(shown);
});
