import { silentLogger } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/testing";
import { expect, test } from "vitest";
import { systemOomVictim } from "./system-oom.ts";
import { SystemOomWatcher } from "./system-oom-watcher.ts";

const killed =
  "Killed process 42 (my hog) total-vm:1234kB, anon-rss:1kB, file-rss:0kB, UID:0 pgtables:8kB oom_score_adj:0";

test.each([
  [`3,1234,5678901,-;Out of memory: ${killed}\n`, { process: "my hog", pid: 42 }],
  [`3,1234,5678901,-;Out of memory (oom_kill_allocating_task): ${killed}\n`, { process: "my hog", pid: 42 }],
  [`3,1234,5678901,-;Memory cgroup out of memory: ${killed}\n`, undefined],
  // Written by a process: facility 1.
  [`11,1234,5678901,-;Out of memory: ${killed}\n`, undefined],
  ["6,1,1,-;Linux version 6.1\n", undefined],
  ["", undefined],
])("of the record %j the victim is %j", (record, victim) => {
  expect(systemOomVictim(record)).toEqual(victim);
});

test("the node tells of each victim, and goes on without a log that nobody may read", async () => {
  const clock = new VirtualClock();
  const told: string[] = [];
  const stop = new AbortController();
  const nodeEvents = {
    record: (
      { kind, name }: { kind?: string; name?: string },
      { reason, message }: { reason: string; message: string },
    ) => void told.push(`${kind}/${name} ${reason}: ${message}`),
  };
  const said = [[], [`3,1,1,-;Out of memory: ${killed}`, "6,2,2,-;else"], []];
  const kernelLog = {
    run: (read: (next: () => Promise<string[]>) => Promise<void>) => read(async () => said.shift() ?? []),
  };
  const watcher = new SystemOomWatcher({ kernelLog, clock, log: silentLogger, nodeEvents }, { nodeName: "node-1" });
  const ended = watcher.run(stop.signal);
  await clock.advance(20_000);
  expect(told).toEqual(["Node/node-1 SystemOOM: System OOM encountered, victim process: my hog, pid: 42"]);
  stop.abort();
  await clock.advance(5000);
  await ended;

  const closed = { run: () => Promise.reject(new Error("EPERM")) };
  const deaf = new SystemOomWatcher(
    { kernelLog: closed, clock, log: silentLogger, nodeEvents },
    { nodeName: "node-1" },
  );
  await expect(deaf.run(new AbortController().signal)).resolves.toBeUndefined();
});
