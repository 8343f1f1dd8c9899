import { describe, expect, test } from "vitest";
import { systemClock } from "../system-clock.ts";
import { systemRandom } from "../system-random.ts";
import type { Clock } from "../clock.ts";
import { backoffDelayMs } from "../backoff.ts";
import { nameSuffix } from "../random.ts";
import { SeededRandom } from "./seeded-random.ts";
import { VirtualClock } from "./virtual-clock.ts";

function describeClockContract(name: string, open: () => { clock: Clock; pass: (ms: number) => Promise<void> }) {
  describe(`${name} keeps the clock contract`, () => {
    test("timers fire in the order of their due times, and a cancelled timer never fires", async () => {
      const { clock, pass } = open();
      const fired: string[] = [];
      clock.after(30, () => fired.push("late"));
      clock.after(5, () => fired.push("early"));
      clock.after(10, () => fired.push("cancelled")).cancel();
      await pass(60);
      expect(fired).toEqual(["early", "late"]);
    });

    test("a sleep ends with the signal's reason when it is aborted", async () => {
      const { clock } = open();
      const reason = new Error("stop");
      const controller = new AbortController();
      const sleeping = clock.sleep(60_000, controller.signal);
      controller.abort(reason);
      await expect(sleeping).rejects.toBe(reason);
      await expect(clock.sleep(1, controller.signal)).rejects.toBe(reason);
    });

    test("monotonic time moves forward with the sleep", async () => {
      const { clock, pass } = open();
      const before = clock.monotonicMs();
      const sleeping = clock.sleep(20);
      await pass(25);
      await sleeping;
      expect(clock.monotonicMs() - before).toBeGreaterThanOrEqual(19);
    });
  });
}

describeClockContract("systemClock", () => ({ clock: systemClock, pass: (ms) => systemClock.sleep(ms) }));
describeClockContract("VirtualClock", () => {
  const clock = new VirtualClock();
  return { clock, pass: (ms) => clock.advance(ms) };
});

test("virtual time wakes chained sleepers at their exact instants", async () => {
  const clock = new VirtualClock({ startMs: 0 });
  const wokeAt: number[] = [];
  const loop = async () => {
    for (let i = 0; i < 3; i++) {
      await clock.sleep(10_000);
      wokeAt.push(clock.nowMs());
    }
  };
  const running = loop();
  await clock.advance(35_000);
  await running;
  expect(wokeAt).toEqual([10_000, 20_000, 30_000]);
  expect(clock.pendingTimers()).toBe(0);
});

test("a jump of wall time does not change monotonic time", () => {
  const clock = new VirtualClock({ startMs: 1000 });
  clock.jumpWallTime(-500);
  expect([clock.nowMs(), clock.monotonicMs()]).toEqual([500, 0]);
});

test("the same seed returns the same values, and another seed returns other values", () => {
  const draw = (seed: number) => {
    const random = new SeededRandom(seed);
    return [random.uuid(), random.integer(1000), nameSuffix(random)];
  };
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
});

test("uuids have the version 4 form and name suffixes upstream's letters", () => {
  for (const random of [systemRandom, new SeededRandom(1)]) {
    expect(random.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(nameSuffix(random)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  }
});

test("back-off is 0, initial, doubled, capped", () => {
  const delays = [0, 1, 2, 3, 6, 7].map((n) => backoffDelayMs(n, { initialMs: 10, maxMs: 300, factor: 2 }));
  expect(delays).toEqual([0, 10, 20, 40, 300, 300]);
});

test("thousands of timers, half of them cancelled, fire in the order of due time and then of creation", async () => {
  const clock = new VirtualClock();
  const random = new SeededRandom(3);
  const expected: { dueMs: number; order: number }[] = [];
  const fired: number[] = [];
  for (let order = 0; order < 2000; order++) {
    const dueMs = random.integer(50);
    const timer = clock.after(dueMs, () => fired.push(order));
    if (random.float() < 0.6) timer.cancel();
    else expected.push({ dueMs, order });
  }
  expect(clock.pendingTimers()).toBe(expected.length);
  await clock.advance(50);
  expect(fired).toEqual(expected.sort((a, b) => a.dueMs - b.dueMs || a.order - b.order).map(({ order }) => order));
  expect(clock.pendingTimers()).toBe(0);
});

test("cancelling a timer twice, or after it fired, changes nothing", async () => {
  const clock = new VirtualClock();
  const fired = clock.after(1, () => {});
  const cancelled = clock.after(5, () => {});
  clock.after(10, () => {});
  await clock.advance(2);
  fired.cancel();
  cancelled.cancel();
  cancelled.cancel();
  expect(clock.pendingTimers()).toBe(1);
});

test.each(["promises", "immediates"] as const)(
  "the work of a wake-up has ended before the next wake-up: %s",
  async (settles) => {
    const clock = new VirtualClock({ settles });
    const log: string[] = [];
    const chain = async (name: string) => {
      for (let link = 0; link < 100; link++) await Promise.resolve();
      if (settles === "immediates") await systemClock.nextTurn();
      log.push(name);
    };
    for (let i = 0; i < 5; i++) clock.after(i, () => void chain(`chain ${i}`).then(() => log.push(`after ${i}`)));
    await clock.advance(10);
    expect(log).toEqual([0, 1, 2, 3, 4].flatMap((i) => [`chain ${i}`, `after ${i}`]));
  },
);

test("the rest of the process runs while much virtual time passes", async () => {
  const clock = new VirtualClock({ settles: "promises" });
  let turns = 0;
  let done = false;
  const countTurns = async () => {
    for (; !done; turns++) await systemClock.nextTurn();
  };
  void countTurns();
  const loop = async () => {
    while (!done) await clock.sleep(1);
  };
  void loop();
  await clock.advance(10_000);
  done = true;
  expect(turns).toBeGreaterThan(30);
});

test("a turn yields to everything that is ready, and takes no time", async () => {
  const clock = new VirtualClock();
  const log: string[] = [];
  clock.after(0, () => log.push("ready before"));
  void clock.nextTurn().then(() => log.push(`turn at ${clock.monotonicMs()}`));
  await clock.advance(0);
  expect(log).toEqual(["ready before", "turn at 0"]);
});

test("a wait for a fraction of a millisecond does not end too early, so that no caller has to wait again", async () => {
  const clock = new VirtualClock();
  const firedMs: number[] = [];
  for (const delayMs of [0, 1e-12, 0.5, 1, 1.2]) clock.after(delayMs, () => firedMs.push(clock.monotonicMs()));
  await clock.advance(2.5);
  expect(firedMs).toEqual([0, 1, 1, 1, 2]);
  expect(clock.monotonicMs()).toBe(3);
});
