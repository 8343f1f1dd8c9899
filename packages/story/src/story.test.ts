import type { TimelineEntry } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import type { Bar } from "./bar.ts";
import { replacementsIn, recoveriesOf, wasSilent } from "./causes.ts";
import { downtimeOf, withTimers } from "./downtime.ts";
import { ClusterStory } from "./story.ts";

type Told = [atMs: number, object: string, what: string, detail?: string];

/** Steps as "pod/web@node-1" or "node/node-1". */
const stepsOf = (told: readonly Told[]): TimelineEntry[] =>
  told.map(([timeMs, object, what, detail = ""], i) => {
    const [kind = "", rest = ""] = object.split("/");
    const [name = "", node = ""] = rest.split("@");
    const about =
      kind === "node"
        ? { kind: "Node" as const, namespace: "", node: name }
        : { kind: "Pod" as const, namespace: "default", node };
    return { timeMs, revision: i + 1, ...about, name, what, detail };
  });

function storyOf(...told: Told[]): ClusterStory {
  const story = new ClusterStory();
  for (const step of stepsOf(told)) story.apply(step);
  return story;
}

const laneOf = (story: ClusterStory, node: string) => story.lanes.find((lane) => lane.node === node);
const shape = ({ name, row, fromMs, toMs, spans }: Bar) => [
  name,
  row,
  fromMs,
  toMs,
  spans.map((span) => `${span.fromMs} ${span.state}`),
];

describe("a pod's bar", () => {
  test("follows the states of a run, and remains when the pod no longer exists", () => {
    const story = storyOf(
      [0, "pod/web@", "created"],
      [1, "pod/web@", "phase", "Pending"],
      [2, "pod/web@n1", "bound", "n1"],
      [500, "pod/web@n1", "phase", "Running"],
      [600, "pod/web@n1", "condition", "Ready=True"],
      [9000, "pod/web@n1", "condition", "Ready=False (ContainersNotReady)"],
      [9500, "pod/web@n1", "terminating", "grace period 30 s"],
      [9600, "pod/web@n1", "condition", "Ready=True"],
      [9900, "pod/web@n1", "deleted"],
    );
    expect(laneOf(story, "n1")?.bars.map(shape)).toEqual([
      ["web", 0, 0, 9900, ["0 pending", "500 starting", "600 ready", "9000 unready", "9500 terminating"]],
    ]);
    expect(laneOf(story, "")?.bars).toEqual([]);
    expect(story.find({ namespace: "default", name: "web" })).toBeUndefined();
  });

  test("of a pod that waited for its node keeps its position in the waiting lane", () => {
    const story = storyOf([0, "pod/web@", "created"], [5000, "pod/web@n1", "bound", "n1"]);
    expect(laneOf(story, "")?.bars.map(shape)).toEqual([["web", 0, 0, 5000, ["0 pending"]]]);
    expect(laneOf(story, "n1")?.bars.map(shape)).toEqual([["web", 0, 5000, undefined, ["5000 pending"]]]);
  });

  test("shows ends, restarts and the back-off between them", () => {
    const story = storyOf(
      [0, "pod/web@n1", "created"],
      [10, "pod/web@n1", "condition", "Ready=True"],
      [20, "pod/web@n1", "container-terminated", "c: Error, exit code 1"],
      [21, "pod/web@n1", "condition", "Ready=False"],
      [22, "pod/web@n1", "container-waiting", "c: CrashLoopBackOff"],
      [40, "pod/web@n1", "container-running", "c: restart 2"],
      [41, "pod/web@n1", "condition", "Ready=True"],
    );
    const [bar] = laneOf(story, "n1")?.bars ?? [];
    expect(bar?.spans.map(({ state }) => state)).toEqual([
      "pending",
      "ready",
      "unready",
      "waiting",
      "starting",
      "ready",
    ]);
    expect(bar?.marks.map(({ is, atMs }) => `${atMs} ${is}`)).toEqual(["20 ended", "40 restarted"]);
  });

  test("begins with the first known step, and again with a pod of the same name", () => {
    const story = storyOf(
      [100, "pod/db-0@n1", "condition", "Ready=True"],
      [200, "pod/db-0@n1", "deleted"],
      [201, "pod/db-0@n2", "created"],
      [300, "pod/db-0@n2", "created"],
    );
    expect([...story.bars()].map(shape)).toEqual([
      ["db-0", 0, 100, 200, ["100 pending", "100 ready"]],
      ["db-0", 0, 201, 300, ["201 pending"]],
      ["db-0", 1, 300, undefined, ["300 pending"]],
    ]);
  });

  test("never changes its row, and no bar uses a row whose last bar has just ended", () => {
    const story = storyOf(
      [0, "pod/a@n1", "created"],
      [1, "pod/b@n1", "created"],
      [10, "pod/a@n1", "deleted"],
      [20, "pod/c@n1", "created"],
      [60_010, "pod/d@n1", "created"],
    );
    expect([...story.bars()].map(({ name, row }) => `${name} ${row}`)).toEqual(["a 0", "b 1", "c 2", "d 0"]);
    expect(laneOf(story, "n1")?.rows).toEqual([
      { takenMs: 60_010, freeMs: Infinity, restedMs: 10 },
      { takenMs: 1, freeMs: Infinity, restedMs: -Infinity },
      { takenMs: 20, freeMs: Infinity, restedMs: -Infinity },
    ]);
  });

  test("of a run that is too long to draw drops its oldest spans", () => {
    const turns = Array.from({ length: 500 }, (_, i): Told => [
      i,
      "pod/a@n1",
      "condition",
      `Ready=${i % 2 === 0 ? "True" : "False"}`,
    ]);
    const [bar] = [...storyOf([0, "pod/a@n1", "created"], ...turns).bars()];
    expect(bar?.spans.length).toBe(400);
    expect(bar?.spans.at(-1)?.fromMs).toBe(499);
  });
});

test("a node's lane shows its states, its cordon and the taints that evict pods", () => {
  const story = storyOf(
    [0, "node/n1", "created"],
    [1, "node/n1", "condition", "Ready=True (KubeletReady)"],
    [2, "node/n1", "condition", "MemoryPressure=False"],
    [3, "node/n1", "cordoned"],
    [4, "node/n1", "condition", "Ready=Unknown (NodeStatusUnknown)"],
    [5, "node/n1", "taint-added", "node.kubernetes.io/unreachable:NoExecute"],
    [6, "node/n1", "taint-removed", "node.kubernetes.io/unreachable:NoExecute"],
    [7, "node/n1", "uncordoned"],
    [8, "node/n1", "deleted"],
  );
  expect(
    laneOf(story, "n1")?.spans.map(({ fromMs, state, isCordoned, evicts }) => [fromMs, state, isCordoned, evicts]),
  ).toEqual([
    [0, "notReady", false, false],
    [1, "ready", false, false],
    [3, "ready", true, false],
    [4, "silent", true, false],
    [5, "silent", true, true],
    [6, "silent", true, false],
    [7, "silent", false, false],
    [8, "gone", false, false],
  ]);
  expect(story.revision).toBe(9);
});

describe("a node's death", () => {
  const story = storyOf(
    [0, "node/n1", "condition", "Ready=True"],
    [0, "pod/a@n1", "created"],
    [1, "pod/a@n1", "condition", "Ready=True"],
    [0, "pod/b@n2", "created"],
    [1, "pod/b@n2", "condition", "Ready=True"],
    [10_000, "node/n1", "condition", "Ready=Unknown"],
    [10_001, "pod/a@n1", "condition", "Ready=False"],
    [15_100, "pod/a@n1", "terminating", "grace period 30 s"],
    [15_200, "pod/c@n2", "created"],
    [16_000, "pod/c@n2", "condition", "Ready=True"],
  );
  const bars = [...story.bars()];
  const silent = (node: string, atMs: number) => wasSilent(laneOf(story, node) ?? { spans: [] }, atMs);

  test("leads from the lost pod to its successor", () => {
    const found = replacementsIn(bars);
    expect(found.map(({ lost, lostMs, next }) => [lost.name, lostMs, next.name])).toEqual([["a", 15_100, "c"]]);
    const [recovery] = recoveriesOf(story.lanes, found, { defaultTolerationSeconds: 5 });
    expect(recovery?.isOver).toBe(true);
    expect(recovery?.steps.map(({ what, tookMs, timerMs }) => [what, tookMs, timerMs])).toEqual([
      ["n1 counted as silent", undefined, 0],
      ["its pod was deleted", 5_100, 5_000],
      ["successors were created", 100, 0],
      ["all replacements were ready", 800, 0],
    ]);
  });

  test("costs downtime, which Kubernetes' toleration makes longer", () => {
    const downtime = downtimeOf(bars, { wanted: 2, nowMs: 20_000, wasSilent: silent });
    expect(downtime).toEqual({
      shortages: [{ fromMs: 10_001, toMs: 16_000, byNode: true }],
      downMs: 0,
      degradedMs: 5_999,
      ready: 2,
    });
    const timers = { own: { defaultTolerationSeconds: 5 }, other: { defaultTolerationSeconds: 300 }, nowMs: 20_000 };
    expect(withTimers(downtime.shortages, timers)).toBe(300_999);
  });

  test("has costs until now, and costs nothing for pods that are no longer desired", () => {
    const lost = bars.filter(({ name }) => name !== "c");
    expect(downtimeOf(lost, { wanted: 2, nowMs: 20_001, wasSilent: silent }).degradedMs).toBe(10_000);
    expect(downtimeOf(lost, { wanted: 1, nowMs: 20_001, wasSilent: silent }).degradedMs).toBe(0);
  });

  test("is downtime only while no pod is ready", () => {
    const times = (from: number, to: number | undefined) =>
      ({ node: "n1", toMs: to, spans: [{ fromMs: from, state: "ready" }] }) as unknown as (typeof bars)[number];
    const both = [times(0, 1_000), times(0, 3_000), times(7_000, undefined)];
    const all = { nowMs: 9_000, wasSilent: () => false };
    expect(downtimeOf(both, { wanted: 2, ...all })).toMatchObject({ downMs: 4_000, degradedMs: 8_000 });
    expect(downtimeOf(both.slice(0, 2), { wanted: 2, ...all })).toMatchObject({ downMs: 6_000, degradedMs: 8_000 });
  });
});

test("the first start of a workload is not downtime, and neither is a successor in the same moment", () => {
  const story = storyOf(
    [0, "pod/a@n1", "created"],
    [5_000, "pod/a@n1", "condition", "Ready=True"],
    [9_000, "pod/b@n1", "condition", "Ready=True"],
    [9_000, "pod/a@n1", "condition", "Ready=False"],
  );
  expect(downtimeOf([...story.bars()], { wanted: 1, nowMs: 10_000, wasSilent: () => false }).shortages).toEqual([]);
});

test("an outage that ended before the eviction took as long under each toleration", () => {
  const timers = { own: { defaultTolerationSeconds: 5 }, other: { defaultTolerationSeconds: 300 }, nowMs: 9_000 };
  expect(withTimers([{ fromMs: 0, toMs: 4_000, byNode: true }], timers)).toBe(4_000);
  expect(withTimers([{ fromMs: 0, toMs: undefined, byNode: false }], timers)).toBe(9_000);
});
