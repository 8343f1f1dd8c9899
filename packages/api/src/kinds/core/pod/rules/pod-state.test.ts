import { describe, expect, test } from "vitest";
import { isPodActive, isPodAvailable, isPodBound, isPodReady, isPodTerminal, isPodTerminating } from "./pod-state.ts";
import type { Pod } from "../pod.ts";

const pod = (status: Pod["status"], metadata: Pod["metadata"] = {}): Pod => ({ metadata, status });
const ready = (lastTransitionTime: string): Pod =>
  pod({ conditions: [{ type: "Ready", status: "True", lastTransitionTime }] });
const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" };

test("a pod is ready when its condition specifies it", () => {
  expect(isPodReady(ready("2026-01-01T00:00:00Z"))).toBe(true);
  expect(isPodReady(pod({ conditions: [{ type: "Ready", status: "Unknown" }] }))).toBe(false);
  expect(isPodReady(pod(undefined))).toBe(false);
});

describe("a pod that", () => {
  test.each<[string, Pod, { active: boolean; terminal: boolean; terminating: boolean }]>([
    ["runs", pod({ phase: "Running" }), { active: true, terminal: false, terminating: false }],
    ["has ended", pod({ phase: "Failed" }), { active: false, terminal: true, terminating: false }],
    ["is terminating", pod({ phase: "Running" }, deleted), { active: false, terminal: false, terminating: true }],
    [
      "has ended and is deleted",
      pod({ phase: "Succeeded" }, deleted),
      { active: false, terminal: true, terminating: false },
    ],
  ])("%s", (_what, subject, expected) => {
    const state = {
      active: isPodActive(subject),
      terminal: isPodTerminal(subject),
      terminating: isPodTerminating(subject),
    };
    expect(state).toEqual(expected);
  });
});

test("a pod is available once it has been ready long enough", () => {
  const subject = ready("1970-01-01T00:00:10Z");
  expect(isPodAvailable(subject, 0, 0)).toBe(true);
  expect(isPodAvailable(subject, 5, 14_999)).toBe(false);
  expect(isPodAvailable(subject, 5, 15_000)).toBe(true);
});

test("a pod is bound if a node is named", () => {
  expect(isPodBound({ metadata: {}, spec: { containers: [], nodeName: "n" } })).toBe(true);
  expect(isPodBound({ metadata: {}, spec: { containers: [], nodeName: "" } })).toBe(false);
});
