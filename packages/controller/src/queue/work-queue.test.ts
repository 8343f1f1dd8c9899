import { type Metrics, silentMetrics } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { describe, expect, test } from "vitest";
import { WorkQueue, type WorkQueueOptions } from "./work-queue.ts";

function open(options: Partial<WorkQueueOptions> = {}, metrics: Metrics = silentMetrics) {
  const clock = new VirtualClock({ settles: "promises" });
  return { clock, queue: new WorkQueue({ clock, metrics }, { name: "test", ...options }) };
}

describe("a work queue", () => {
  test("returns keys in the order of their addition, each of them once however often it was added", async () => {
    const { queue } = open();
    for (const key of ["a", "b", "a", "c", "b"]) queue.add(key);
    expect(queue.length).toBe(3);
    expect([await queue.take(), await queue.take(), await queue.take()]).toEqual(["a", "b", "c"]);
  });

  test("holds a key that is added during its processing until its worker is done, then returns it once more", async () => {
    const { queue } = open();
    queue.add("a");
    expect(await queue.take()).toBe("a");
    queue.add("a");
    queue.add("a");
    queue.add("b");
    expect(await queue.take()).toBe("b");
    expect(queue.length).toBe(0);
    queue.done("a");
    expect(await queue.take()).toBe("a");
    queue.done("a");
    expect(queue.length).toBe(0);
  });

  test("lets a key rest after its worker is done, then returns it once if it was added in the meantime", async () => {
    const { clock, queue } = open();
    queue.add("a");
    await queue.take();
    queue.done("a", 200);
    queue.add("a");
    queue.add("a");
    await clock.advance(199);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(queue.length).toBe(1);
    await queue.take();
    queue.done("a", 200);
    await clock.advance(1000);
    expect(queue.length).toBe(0);
    queue.add("a");
    expect(queue.length).toBe(1);
  });

  test("returns a key to the worker that has waited longest", async () => {
    const { queue } = open();
    const taken: string[] = [];
    const first = queue.take().then((key) => taken.push(`first ${key}`));
    const second = queue.take().then((key) => taken.push(`second ${key}`));
    queue.add("a");
    queue.add("b");
    await Promise.all([first, second]);
    expect(taken).toEqual(["first a", "second b"]);
  });

  test("adds a delayed key at exactly its time, and of two delays uses the earlier", async () => {
    const { clock, queue } = open();
    queue.addAfter("a", 1000);
    queue.addAfter("a", 400);
    queue.addAfter("a", 700);
    await clock.advance(399);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(queue.length).toBe(1);
    expect(await queue.take()).toBe("a");
    queue.done("a");
    await clock.advance(10_000);
    expect(queue.length).toBe(0);
  });

  test("doubles a failing key's delay from 5 ms to 1000 s, and resets it on success", async () => {
    const { clock, queue } = open();
    const delaysMs: number[] = [];
    for (let failure = 0; failure < 20; failure++) {
      const failedAtMs = clock.monotonicMs();
      queue.retry("a");
      const taken = queue.take().then(() => delaysMs.push(clock.monotonicMs() - failedAtMs));
      await clock.advance(1_000_000);
      await taken;
      queue.done("a");
    }
    expect(delaysMs.slice(0, 5)).toEqual([5, 10, 20, 40, 80]);
    expect(delaysMs.slice(-2)).toEqual([1_000_000, 1_000_000]);
    expect(queue.failures("a")).toBe(20);
    queue.forget("a");
    queue.retry("a");
    await clock.advance(5);
    expect(queue.length).toBe(1);
  });

  test("retries failed keys immediately when hurried, with pauses that double for a key that fails again", async () => {
    const { clock, queue } = open();
    for (let failure = 0; failure < 16; failure++) {
      await clock.advance(200_000);
      queue.retry("a");
    }
    const waitedMs: number[] = [];
    for (let time = 0; time < 5; time++) {
      const hurriedAtMs = clock.monotonicMs();
      queue.hurry();
      queue.hurry();
      const taken = queue.take().then(() => waitedMs.push(clock.monotonicMs() - hurriedAtMs));
      while (waitedMs.length === time) await clock.advance(100);
      await taken;
      queue.retry("a");
      queue.done("a");
    }
    expect(waitedMs).toEqual([0, 1000, 2000, 4000, 8000]);
  });

  test("does not lengthen a key's delay by its earlier failures if it was added in the meantime", async () => {
    const { clock, queue } = open();
    const fail = async () => {
      expect(await queue.take()).toBe("a");
      queue.retry("a");
      queue.done("a");
    };
    queue.add("a");
    await fail();
    for (let time = 0; time < 20; time++) {
      queue.add("a");
      await fail();
    }
    await clock.advance(4);
    expect([queue.length, queue.failures("a")]).toEqual([0, 1]);
    await clock.advance(1);
    await fail();
    expect(queue.failures("a")).toBe(2);
    await clock.advance(9);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(queue.length).toBe(1);
  });

  test("accepts keys up to its limit and reports a rejection", async () => {
    const { queue } = open({ keysMax: 2 });
    queue.add("a");
    queue.addAfter("b", 50);
    expect(queue.takeRefused()).toBe(false);
    queue.add("c");
    queue.addAfter("d", 50);
    expect([queue.length, queue.takeRefused(), queue.takeRefused()]).toEqual([1, true, false]);
    await queue.take();
    queue.add("c");
    expect(await queue.take()).toBe("c");
  });

  test("keeps order over many thousands of keys", async () => {
    const { queue } = open();
    const keys = Array.from({ length: 20_000 }, (_, i) => `k${i}`);
    for (const key of keys) queue.add(key);
    const taken: (string | undefined)[] = [];
    while (queue.length > 0) taken.push(await queue.take());
    expect(taken).toEqual(keys);
  });

  test("wakes waiting workers without a key and leaves no timer when it is closed", async () => {
    const { clock, queue } = open();
    const waiting = queue.take();
    queue.addAfter("a", 1000);
    queue.add("b");
    expect(await waiting).toBe("b");
    const next = queue.take();
    queue.close();
    expect(await next).toBeUndefined();
    queue.add("c");
    expect(await queue.take()).toBeUndefined();
    expect(clock.pendingTimers()).toBe(0);
  });

  test("measures depth, adds, retries and the duration of the longest work under upstream's names", async () => {
    const values = new Map<string, number>();
    const metrics: Metrics = {
      counter: ({ name }) => ({ add: (value) => values.set(name, (values.get(name) ?? 0) + value), remove: () => {} }),
      gauge: ({ name }) => ({ set: (value) => values.set(name, value), remove: () => {}, reset: () => {} }),
      histogram: ({ name }) => ({ observe: (value) => values.set(name, value), remove: () => {} }),
    };
    const { clock, queue } = open({}, metrics);
    queue.add("a");
    queue.add("b");
    expect(values.get("workqueue_depth")).toBe(2);
    await clock.advance(250);
    await queue.take();
    await clock.advance(1000);
    expect(values.get("workqueue_queue_duration_seconds")).toBe(0.25);
    expect(values.get("workqueue_longest_running_processor_seconds")).toBe(1);
    expect(values.get("workqueue_unfinished_work_seconds")).toBe(1);
    queue.done("a");
    queue.retry("a");
    expect(values.get("workqueue_work_duration_seconds")).toBe(1);
    expect(values.get("workqueue_unfinished_work_seconds")).toBe(0);
    expect(values.get("workqueue_adds_total")).toBe(2);
    expect(values.get("workqueue_retries_total")).toBe(1);
  });
});
