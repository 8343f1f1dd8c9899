import { parseTimestamp, type Pod } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { finishedMs, nextFailures, noFailures, waitMs } from "./job-backoff.ts";

const startMs = parseTimestamp("2026-01-01T00:00:00Z");
const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`;

function ended(...seconds: number[]): Pod {
  const containerStatuses = seconds.map((second) => ({
    name: "c",
    ready: false,
    restartCount: 0,
    image: "",
    imageID: "",
    state: { terminated: { exitCode: 0, finishedAt: at(second) } },
  }));
  return { metadata: { name: "p" }, status: { containerStatuses } };
}

describe("the consecutive failures of a Job", () => {
  test.each<[string, { before?: number; succeeded: Pod[]; failed: Pod[] }, { count: number; lastMs: number }]>([
    ["grow", { before: 2, succeeded: [], failed: [ended(4), ended(3)] }, { count: 4, lastMs: startMs + 4000 }],
    ["remain without changes", { before: 2, succeeded: [], failed: [] }, { count: 2, lastMs: startMs + 1000 }],
    ["end with a success", { before: 2, succeeded: [ended(5)], failed: [ended(5), ended(4)] }, noFailures],
    [
      "start again after a success",
      { before: 2, succeeded: [ended(5)], failed: [ended(6), ended(4)] },
      { count: 1, lastMs: startMs + 6000 },
    ],
  ])("%s", (_what, { before = 0, succeeded, failed }, failures) => {
    expect(nextFailures({ count: before, lastMs: startMs + 1000 }, succeeded, failed)).toEqual(failures);
  });

  test.each([
    [0, 0],
    [1, 10_000],
    [2, 20_000],
    [4, 80_000],
    [7, 600_000],
    [1000, 600_000],
  ])("delay the next pod: after %d by %d ms", (count, ms) => {
    expect(waitMs({ count, lastMs: startMs }, startMs)).toBe(ms);
    expect(waitMs({ count, lastMs: startMs }, startMs + 600_000)).toBe(0);
  });
});

describe("the end of a pod", () => {
  const ready = { conditions: [{ type: "Ready", status: "False" as const, lastTransitionTime: at(7) }] };
  const metadata = { name: "p", creationTimestamp: at(1), deletionTimestamp: at(40), deletionGracePeriodSeconds: 30 };
  test.each<[string, Pod, number]>([
    ["is that of its last container", ended(3, 9, 4), 9],
    ["or the time at which it stopped being ready", { metadata, status: ready }, 7],
    ["or its deletion", { metadata }, 10],
    ["or its creation", { metadata: { name: "p", creationTimestamp: at(1) } }, 1],
  ])("%s", (_what, pod, second) => {
    expect(finishedMs(pod)).toBe(startMs + second * 1000);
  });
});
