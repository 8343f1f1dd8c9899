import type { TimelineEntry } from "@kintsugi/api";
import { ClusterStory } from "@kintsugi/story";
import { expect, test } from "vitest";
import { timersOfSteps } from "./step-timers.ts";

const pod = { kind: "Pod", namespace: "default", name: "web", node: "n1" } as const;
const node = { kind: "Node", namespace: "", name: "n1", node: "n1" } as const;
const step = (timeMs: number, about: typeof pod | typeof node, what: string, detail = ""): TimelineEntry => ({
  timeMs,
  revision: timeMs,
  ...about,
  what,
  detail,
});
const steps = [
  step(0, node, "condition", "Ready=True"),
  step(1_000, pod, "created"),
  step(1_000, pod, "bound", "n1"),
  step(50_000, node, "taint-added", "node.kubernetes.io/unreachable:NoExecute"),
  step(350_000, pod, "terminating", "grace period 30 s"),
];

test("the toleration of a marked node's pods and their grace period are derived from steps alone", () => {
  const at = (nowMs: number) => {
    const story = new ClusterStory();
    for (const each of steps) if (each.timeMs <= nowMs) story.apply(each);
    return timersOfSteps(story, { timers: { defaultTolerationSeconds: 300 }, nowMs });
  };
  expect(at(20_000)).toEqual([]);
  expect(at(60_000)).toMatchObject([{ about: { name: "web" }, timer: "toleration", sinceMs: 50_000, atMs: 350_000 }]);
  expect(at(360_000)).toMatchObject([{ timer: "termination grace period", sinceMs: 350_000, atMs: 380_000 }]);
  expect(at(381_000)).toEqual([]);
});
