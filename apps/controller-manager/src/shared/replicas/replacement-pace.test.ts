import type { Pod } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { endsUnstarted, ReplacementPace } from "./replacement-pace.ts";

const key = "default/web";

function setUp(unstarted: number) {
  const clock = new VirtualClock();
  const pace = new ReplacementPace({ clock });
  for (let i = 0; i < unstarted; i++) pace.noteUnstarted(key);
  return { clock, pace };
}

test("a set whose pods ran is completed immediately", () => {
  const { pace } = setUp(0);
  expect(pace.grant(key, 500)).toEqual({ count: 500 });
});

test("thirty pods that never ran are replaced immediately, and then twenty a second", async () => {
  const { clock, pace } = setUp(35);
  expect(pace.grant(key, 35)).toEqual({ count: 30, retryAfterMs: 50 });
  await clock.advance(49);
  expect(pace.grant(key, 5)).toEqual({ count: 0, retryAfterMs: 1 });
  await clock.advance(1);
  expect(pace.grant(key, 5)).toEqual({ count: 1, retryAfterMs: 50 });
  await clock.advance(1000);
  expect(pace.grant(key, 4)).toEqual({ count: 4 });
});

test("only pods that never ran are delayed", () => {
  const { pace } = setUp(40);
  expect(pace.grant(key, 100).count).toBe(90);
});

test("a complete set does not accumulate replacements", () => {
  const { pace } = setUp(40);
  expect(pace.grant(key, 0)).toEqual({ count: 0 });
  expect(pace.grant(key, 40)).toEqual({ count: 40 });
});

test("a set in a replacement cycle does not delay other sets", () => {
  const { pace } = setUp(1000);
  pace.grant(key, 100);
  pace.noteUnstarted("default/other");
  expect(pace.grant("default/other", 1)).toEqual({ count: 1 });
});

const pod = (traits: { node?: string; phase?: string; deleted?: boolean; ran?: boolean }): Pod => ({
  metadata: traits.deleted ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {},
  spec: { containers: [], ...(traits.node === undefined ? {} : { nodeName: traits.node }) },
  status: {
    phase: (traits.phase ?? "Pending") as "Pending",
    containerStatuses: traits.ran
      ? [{ name: "main", image: "", imageID: "", ready: true, restartCount: 0, containerID: "containerd://1" }]
      : [],
  },
});

test.each<[string, boolean, Parameters<typeof endsUnstarted>[0]]>([
  ["turned away", true, { type: "modified", before: pod({ node: "n" }), object: pod({ node: "n", phase: "Failed" }) }],
  ["evicted", true, { type: "modified", before: pod({ node: "n" }), object: pod({ node: "n", deleted: true }) }],
  ["first observed as failed", true, { type: "added", object: pod({ node: "n", phase: "Failed" }) }],
  ["forgotten", true, { type: "deleted", object: pod({ node: "n" }) }],
  ["observed as terminating before", false, { type: "deleted", object: pod({ node: "n", deleted: true }) }],
  [
    "going still",
    false,
    { type: "modified", before: pod({ deleted: true }), object: pod({ node: "n", deleted: true }) },
  ],
  ["never bound", false, { type: "modified", before: pod({}), object: pod({ deleted: true }) }],
  ["running", false, { type: "modified", before: pod({}), object: pod({ node: "n", ran: true }) }],
  [
    "running and then deleted",
    false,
    { type: "modified", before: pod({}), object: pod({ node: "n", ran: true, deleted: true }) },
  ],
])("a pod that is %s ended without having run: %s", (_, expected, change) => {
  expect(endsUnstarted(change)).toBe(expected);
});
