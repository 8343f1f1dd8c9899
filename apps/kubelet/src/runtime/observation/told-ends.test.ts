import type { RuntimeEvent } from "@kintsugi/cri";
import { expect, test } from "vitest";
import { exited, instance, observed } from "../../testing/builders.ts";
import { ToldEnds, withToldEnds } from "./told-ends.ts";

const stopped = (containerId: string, exitCode: number, atMs = 5000): RuntimeEvent => {
  return { type: "stopped", containerId, atMs, exitCode };
};

function told(...events: RuntimeEvent[]) {
  const ends = new ToldEnds();
  for (const event of events) ends.note(event, 0);
  return ends;
}

const after = (ends: ToldEnds, nowMs = 100) => withToldEnds(observed([instance("c")]), (id) => ends.find(id, nowMs));

test("a container that is listed as running has ended if its end was reported, with code, time and reason", () => {
  expect(after(told(stopped("c-0", 3))).containers).toMatchObject([
    { state: "exited", exitCode: 3, finishedAtMs: 5000, reason: "Error", startedAtMs: 1000 },
  ]);
  expect(after(told(stopped("c-0", 0))).containers).toMatchObject([{ state: "exited", reason: "Completed" }]);
  expect(after(told(stopped("other", 3))).containers).toMatchObject([{ state: "running" }]);
});

test("an OOM kill that was reported before the end is its reason", () => {
  const oom: RuntimeEvent = { type: "oom", containerId: "c-0", atMs: 4990 };
  expect(after(told(oom, stopped("c-0", 137))).containers).toMatchObject([{ reason: "OOMKilled", exitCode: 137 }]);
  // The kernel killed a child process of the container, which ended by itself.
  expect(after(told(oom, stopped("c-0", 1))).containers).toMatchObject([{ reason: "Error", exitCode: 1 }]);
});

test("a container that the runtime lists as ended has the runtime's state", () => {
  const listed = exited("c", { exitCode: 137, reason: "OOMKilled", finishedAtMs: 4999 });
  const ends = told(stopped("c-0", 137));
  expect(withToldEnds(observed([listed]), (id) => ends.find(id, 100)).containers).toEqual([listed]);
});

test("a sandbox whose process has ended is not ready", () => {
  expect(after(told(stopped("sandbox-0", 137))).sandboxes).toMatchObject([{ ready: false }]);
});

test("a duplicate event counts once, and an event without an exit code does not count", () => {
  expect(after(told(stopped("c-0", 3, 5000), stopped("c-0", 255, 9000))).containers).toMatchObject([
    { exitCode: 3, finishedAtMs: 5000 },
  ]);
  expect(after(told({ type: "stopped", containerId: "c-0", atMs: 1 })).containers).toMatchObject([
    { state: "running" },
  ]);
});

test("a listing that contradicts an event for 10 seconds is trusted", () => {
  const ends = told(stopped("c-0", 3));
  expect(after(ends, 9_999).containers).toMatchObject([{ state: "exited" }]);
  expect(after(ends, 10_000).containers).toMatchObject([{ state: "running" }]);
});

test("at most 1,000 ends are stored, and ends of deleted containers are dropped", () => {
  const ends = told(...Array.from({ length: 1001 }, (_, at) => stopped(`c-${at}`, 1)));
  expect(ends.find("c-0", 0)).toBeUndefined();
  expect(ends.find("c-1", 0)).toBeDefined();
  ends.note({ type: "deleted", containerId: "c-1", atMs: 1 }, 0);
  expect(ends.find("c-1", 0)).toBeUndefined();
});
