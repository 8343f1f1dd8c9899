import { profiles } from "@kintsugi/api";
import { expect, test } from "vitest";
import { allObserved, linesSince, type Sightings, toPhases } from "./phases.ts";

const seen: Sightings = {
  containerKilled: 0,
  crashDetected: 12,
  containerRestarted: 90,
  nodeKilled: 1_000,
  lastHeartbeat: 400,
  notReady: 4_420,
  tainted: 4_420,
  firstMarked: 9_430,
  replacementCreated: 9_440,
  replacementScheduled: 9_450,
  replacementRunning: 9_600,
  allReady: 9_800,
  nodeReturned: 20_000,
  returnedReady: 20_900,
  leftoversGone: 21_500,
};

test("each phase states the time that the timers explain and the remaining time", () => {
  const phases = toPhases(seen, profiles.fast, { crash: true });
  const byName = new Map(phases.map((phase) => [phase.name, phase]));
  expect(byName.get("last heartbeat → node NotReady")).toMatchObject({
    wallMs: 4_020,
    configuredMs: 4_000,
    overheadMs: 20,
  });
  expect(byName.get("tainted → first pod marked for deletion")).toMatchObject({ configuredMs: 5_000, overheadMs: 10 });
  expect(byName.get("last heartbeat → all ready (whole recovery)")).toMatchObject({ wallMs: 9_400, overheadMs: 400 });
  expect(allObserved(phases)).toBe(true);
});

test("a missing observation leaves its phases unobserved", () => {
  const { tainted: _, ...rest } = seen;
  const phases = toPhases(rest, profiles.fast, { crash: true });
  expect(phases.filter((phase) => phase.wallMs === undefined).map((phase) => phase.name)).toEqual([
    "NotReady → node tainted",
    "tainted → first pod marked for deletion",
  ]);
  expect(allObserved(phases)).toBe(false);
});

test("without access to the nodes no crash is expected", () => {
  const { containerKilled: _, crashDetected: __, containerRestarted: ___, ...rest } = seen;
  expect(allObserved(toPhases(rest, profiles.fast, { crash: true }))).toBe(false);
  expect(allObserved(toPhases(rest, profiles.fast, { crash: false }))).toBe(true);
});

test("the times of the killed node are counted from its last heartbeat", () => {
  const line = (timeMs: number, what: string) => ({
    timeMs,
    exactToMs: true,
    sinceFirstMs: timeMs - 100,
    object: "node/node-1",
    what,
    detail: "",
  });
  const lines = [line(100, "created"), line(9_000, "condition"), line(14_030, "taint-added")];
  expect(linesSince(lines, 5_000).map(({ what, sinceFirstMs }) => [what, sinceFirstMs])).toEqual([
    ["condition", 4_000],
    ["taint-added", 9_030],
  ]);
});
