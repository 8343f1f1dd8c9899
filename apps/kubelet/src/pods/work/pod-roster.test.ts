import { expect, test } from "vitest";
import { aPod } from "../../testing/builders.ts";
import { type PodInWork, PodRoster } from "./pod-roster.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const inWork = (more: Partial<PodInWork> = {}): Mutable<PodInWork> => ({
  pod: aPod(),
  phase: "syncing",
  isCleared: false,
  ...more,
});

test("the worker's changes of its pod are visible in the roster", () => {
  const roster = new PodRoster();
  const pod = inWork();
  roster.add("1", pod);
  expect(roster.activePods()).toHaveLength(1);
  expect(roster.isTerminated("1")).toBe(false);
  pod.phase = "terminated";
  expect(roster.activePods()).toEqual([]);
  expect(roster.isTerminated("1")).toBe(true);
  roster.remove("1");
  expect(roster.has("1")).toBe(false);
});

test("an ended pod and a pod that the API does not have are not active", () => {
  const roster = new PodRoster();
  roster.add("ended", inWork({ pod: aPod({}, { status: { phase: "Failed" } }) }));
  roster.add("unknown", inWork({ pod: undefined }));
  expect(roster.activePods()).toEqual([]);
  expect(roster.has("unknown")).toBe(true);
});

test("an evicted pod is cleaned up once its containers have ended, and any other pod once it has ended", () => {
  const roster = new PodRoster();
  const evicted = inWork({ phase: "terminated", pod: aPod({}, { status: { phase: "Failed", reason: "Evicted" } }) });
  roster.add("evicted", evicted);
  roster.add("ended", inWork({ phase: "terminated" }));
  roster.add("ending", inWork({ phase: "terminating" }));
  const cleanedUp = ["evicted", "ended", "ending", "gone"].map((uid) => roster.isCleanedUp(uid));
  expect(cleanedUp).toEqual([false, true, false, true]);
  evicted.isCleared = true;
  expect(roster.isCleanedUp("evicted")).toBe(true);
});
