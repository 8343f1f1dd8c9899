import { expect, test } from "vitest";
import { afterEnd, afterStart, type ComponentRecord, planSupervision, unstarted } from "./plan-supervision.ts";

const api = { id: "api-server", command: ["node"], cgroup: "/c", logFile: "/l" };
const running = (id: string, record: ComponentRecord = unstarted) =>
  [id, afterStart(record, { pid: 7, startTime: "9" }, 1000)] as const;

test("what is wanted and does not run is started, what runs is left alone", () => {
  expect(planSupervision([api], new Map(), 0).start).toEqual([api]);
  expect(planSupervision([api], new Map([running("api-server")]), 0).start).toEqual([]);
});

test("what runs and is no longer wanted is stopped", () => {
  const plan = planSupervision([], new Map([running("kubelet@node-1")]), 0);
  expect(plan.stop).toEqual(["kubelet@node-1"]);
});

test("a process that keeps ending is restarted after 100 ms, 200 ms, … and at most 10 s", () => {
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

test("a process that ran as long as the longest wait starts its back-off afresh", () => {
  const record = { ...unstarted, failures: 6 };
  expect(afterEnd(afterStart(record, { pid: 1, startTime: "1" }, 0), 9_999).failures).toBe(7);
  expect(afterEnd(afterStart(record, { pid: 1, startTime: "1" }, 0), 10_000).failures).toBe(1);
});

test("a process that is killed every 12 s is away for 100 ms each time, and never started more than once in 10 s", () => {
  let record: ComponentRecord = unstarted;
  const starts: number[] = [];
  for (let nowMs = 0, i = 0; i < 9; i++) {
    record = afterEnd(afterStart(record, { pid: i, startTime: "1" }, nowMs), nowMs + 12_000);
    starts.push(nowMs);
    nowMs = planSupervision([api], new Map([["api-server", record]]), nowMs + 12_000).wakeAtMs ?? 0;
  }
  const apartMs = starts.slice(1).map((startMs, i) => startMs - (starts[i] ?? 0));
  expect(apartMs).toEqual(Array(8).fill(12_100));
});
