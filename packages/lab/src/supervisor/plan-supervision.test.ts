import { expect, test } from "vitest";
import { afterEnd, afterStart, type ComponentRecord, planSupervision, unstarted } from "./plan-supervision.ts";

const api = { id: "api-server", command: ["node"], cgroup: "/c", logFile: "/l" };
const running = (id: string, record: ComponentRecord = unstarted) =>
  [id, afterStart(record, { pid: 7, startTime: "9" }, 1000)] as const;

test("a desired process that is not running is started, and a running process is not changed", () => {
  expect(planSupervision([api], new Map(), 0).start).toEqual([api]);
  expect(planSupervision([api], new Map([running("api-server")]), 0).start).toEqual([]);
});

test("a running process that is no longer desired is stopped", () => {
  const plan = planSupervision([], new Map([running("kubelet@node-1")]), 0);
  expect(plan.stop).toEqual(["kubelet@node-1"]);
});

test("a process that exits repeatedly is restarted after 100 ms, 200 ms, … and at most 10 s", () => {
  let record: ComponentRecord = unstarted;
  const delays: number[] = [];
  let nowMs = 1000;
  for (let i = 0; i < 9; i++) {
    record = afterEnd(afterStart(record, { pid: i, startTime: "1" }, nowMs), nowMs + 10);
    const wakeAtMs = planSupervision([api], new Map([["api-server", record]]), nowMs + 10).wakeAtMs ?? 0;
    delays.push(wakeAtMs - nowMs - 10);
    expect(planSupervision([api], new Map([["api-server", record]]), wakeAtMs).start).toEqual([api]);
    nowMs = wakeAtMs;
  }
  expect(delays).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  expect(record.restarts).toBe(8);
});

test("a process that ran for 2 s resets its back-off", () => {
  const record = { ...unstarted, failures: 6 };
  expect(afterEnd(afterStart(record, { pid: 1, startTime: "1" }, 0), 1_999).failures).toBe(7);
  expect(afterEnd(afterStart(record, { pid: 1, startTime: "1" }, 0), 2_000).failures).toBe(1);
});

/**
 * Returns the downtimes of a process after each of its ends, when it ends `runsMs` after each
 * start.
 */
function awayMs(runsMs: number, ends: number): number[] {
  let record: ComponentRecord = unstarted;
  let nowMs = 0;
  return Array.from({ length: ends }, (_, i) => {
    record = afterEnd(afterStart(record, { pid: i, startTime: "1" }, nowMs), nowMs + runsMs);
    const endedAtMs = nowMs + runsMs;
    nowMs = planSupervision([api], new Map([["api-server", record]]), endedAtMs).wakeAtMs ?? endedAtMs;
    return nowMs - endedAtMs;
  });
}

test.each([2_000, 5_000, 9_000, 12_000])("a process that is killed %d ms after each start is down for 100 ms", (ms) => {
  expect(awayMs(ms, 20)).toEqual(Array(20).fill(100));
});

test("a process that ends within its first two seconds is started at most once in 10 s", () => {
  expect(awayMs(1_900, 20).slice(7)).toEqual(Array(13).fill(10_000));
});
