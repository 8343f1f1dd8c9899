import { type Logger, silentLogger, silentMetrics } from "@kintsugi/api";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { afterEach, expect, test } from "vitest";
import { aPod } from "../../testing/builders.ts";
import { PodRoster } from "./pod-roster.ts";
import type { PodSync } from "./pod-sync.ts";
import { PodWorkers } from "./pod-workers.ts";

let ended = new AbortController();
afterEach(() => {
  ended.abort();
  ended = new AbortController();
});

/** Workers whose steps take a second each, and a record of those steps. */
function startWorkers() {
  const clock = new VirtualClock();
  const roster = new PodRoster();
  const steps: string[] = [];
  const warnings: unknown[] = [];
  const log: Logger = { ...silentLogger, warn: (message, fields) => void warnings.push([message, fields]) };
  const take = async (step: string, signal: AbortSignal) => {
    steps.push(step);
    await clock.sleep(1000, signal);
  };
  const sync: PodSync = {
    sync: async (_, signal) => {
      await take("sync", signal);
      return { ended: false };
    },
    terminate: (_, __, signal) => take("terminate", signal),
    clear: (_, signal) => take("clear", signal),
    release: () => void steps.push("release"),
    vacate: () => void steps.push("vacate"),
    remove: (_, signal) => take("remove", signal),
    forget: () => void steps.push("forget"),
  };
  const deps = { sync, clock, random: new SeededRandom(1), log, metrics: silentMetrics, roster };
  const workers = new PodWorkers(deps, { resyncIntervalMs: 60_000, errorBackoffMs: 10_000 });
  void workers.run(ended.signal);
  return { workers, clock, roster, steps, warnings };
}

test("a worker that is woken during its last step does not run another step, or a step of its successor", async () => {
  const { workers, clock, roster, steps, warnings } = startWorkers();
  const { uid, name, namespace } = aPod().metadata;
  workers.removeUnknown({ uid, name, namespace });
  await clock.advance(500);
  workers.wake(uid);
  await clock.advance(600);
  expect(steps).toEqual(["remove", "forget"]);
  expect(roster.has(uid)).toBe(false);
  workers.removeUnknown({ uid, name, namespace });
  expect(roster.has(uid)).toBe(true);
  await clock.advance(10_000);
  expect(steps).toEqual(["remove", "forget", "remove", "forget"]);
  expect(warnings).toEqual([]);
});

test("a pod runs through its lifecycle once, for any updates in the meantime", async () => {
  const { workers, clock, steps, warnings } = startWorkers();
  const deleting = aPod({}, { metadata: { deletionTimestamp: "2026-01-01T00:00:30Z" } });
  workers.update(aPod());
  await clock.advance(500);
  workers.update(deleting);
  await clock.advance(1500);
  workers.update(aPod());
  workers.update(deleting);
  await clock.advance(3000);
  workers.removed(deleting);
  await clock.advance(10_000);
  expect(steps.filter((step) => step === "sync" || step === "terminate")).toEqual(["sync", "terminate"]);
  expect(steps.at(-1)).toBe("forget");
  expect(warnings).toEqual([]);
});
