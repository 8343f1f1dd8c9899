import { silentLogger } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { MemoryKernelLog } from "../../testing/memory-kernel-log.ts";
import type { KernelLog } from "../../machine/kernel/kernel-log.ts";
import { KernelOomWatcher } from "./kernel-oom-watcher.ts";

const victim = "3,1,1,-;Out of memory: Killed process 42 (my hog) total-vm:1234kB, anon-rss:1kB";
const id = (digit: string) => digit.repeat(64);

function watch(kernelLog: KernelLog) {
  const clock = new VirtualClock();
  const told: string[] = [];
  const nodeEvents = {
    record: (
      { kind, name }: { kind?: string; name?: string },
      { reason, message }: { reason: string; message: string },
    ) => void told.push(`${kind}/${name} ${reason}: ${message}`),
  };
  const watcher = new KernelOomWatcher({ kernelLog, clock, log: silentLogger, nodeEvents }, { nodeName: "node-1" });
  const stop = new AbortController();
  const ended = watcher.run(stop.signal);
  const end = async () => {
    stop.abort();
    await clock.advance(5000);
    await ended;
  };
  return { clock, told, watcher, end };
}

test("the node reports each victim since its start", async () => {
  const log = new MemoryKernelLog();
  log.say(victim.replace("42", "41"));
  const { clock, told, end } = watch(log);
  await clock.advance(5000);
  log.say(victim, "6,2,2,-;else");
  await clock.advance(20_000);
  expect(told).toEqual(["Node/node-1 SystemOOM: System OOM encountered, victim process: my hog, pid: 42"]);
  await end();
});

test("the watcher continues without a log that it may not read, and does not report a kill", async () => {
  const { watcher, end } = watch({ run: () => Promise.reject(new Error("EPERM")) });
  await expect(end()).resolves.toBeUndefined();
  expect(watcher.hasKilledIn(id("a"))).toBe(false);
});

test("the watcher reports the container of a kill as soon as the kernel logs it, even before its next read", async () => {
  const log = new MemoryKernelLog();
  log.sayOomKill(id("a"));
  const { watcher, end } = watch(log);
  expect(watcher.hasKilledIn(id("a"))).toBe(true);
  expect(watcher.hasKilledIn(id("b"))).toBe(false);
  log.sayOomKill(id("b"));
  expect(watcher.hasKilledIn(id("b"))).toBe(true);
  await end();
});

test("records that are read for a container's query are reported on the node as well", async () => {
  const log = new MemoryKernelLog();
  const { watcher, told, end } = watch(log);
  log.say(victim);
  expect(watcher.hasKilledIn(id("a"))).toBe(false);
  expect(told).toHaveLength(1);
  await end();
});
