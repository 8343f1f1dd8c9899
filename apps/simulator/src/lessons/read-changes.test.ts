import { type Goal, lessons } from "@kintsugi/story";
import { expect, test } from "vitest";
import { UsageError } from "../scenarios/find-scenario.ts";
import { readChanges } from "./read-changes.ts";

const goal = lessons[0]?.goal as Goal;

test("the solutions of all goals are changes that the goals offer", () => {
  for (const { goal: each } of lessons) {
    if (each === undefined) continue;
    expect(readChanges(each, each.solution.join(", "))).toEqual(each.solution);
  }
});

test.each([
  [
    "workloads.web.replicas=999",
    '"999" is not a value of workloads.web.replicas in this lesson; its values are 4, 6, 8',
  ],
  [
    "timers.foo=1",
    '"timers.foo" cannot be changed in this lesson; these settings can: timers.node-monitor-grace-period',
  ],
  ["bla", '"bla" is not a change; write for example timers.node-monitor-grace-period=20s'],
  ["timers.pod-eviction-timeout=", "is not a change"],
])("%s is rejected before the simulation", (change, sentence) => {
  expect(() => readChanges(goal, change)).toThrow(UsageError);
  expect(() => readChanges(goal, change)).toThrow(sentence);
});
