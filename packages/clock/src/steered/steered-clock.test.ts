import { describe, expect, test } from "vitest";
import { VirtualClock } from "../simulated/virtual-clock.ts";
import { SteeredClock } from "./steered-clock.ts";
import { withWallTimeOf } from "./wall-time.ts";

const startMs = 1_000_000;
const settle = async () => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  return true;
};

function make(pace: number) {
  const real = new VirtualClock({ settles: "promises" });
  return { real, clock: new SteeredClock({ real }, { pace, startMs }) };
}

describe("a steered clock", () => {
  test("that is stopped fires only timers that are already due", async () => {
    const { real, clock } = make(0);
    const calls: string[] = [];
    clock.after(0, () => calls.push("now"));
    clock.after(1, () => calls.push("later"));
    await real.advance(60_000);
    expect(calls).toEqual(["now"]);
    expect(clock.nowMs()).toBe(startMs);
    expect(clock.nextDueMs).toBe(startMs + 1);
  });

  test("runs at its pace, and changes to another pace without a jump", async () => {
    const { real, clock } = make(60);
    const at: number[] = [];
    for (const delayMs of [60_000, 120_000]) clock.after(delayMs, () => at.push(clock.monotonicMs()));
    await real.advance(1000);
    expect(at).toEqual([60_000]);
    clock.setPace(1);
    await real.advance(60_000);
    expect(at).toEqual([60_000, 120_000]);
    clock.setPace(0);
    await real.advance(1000);
    expect(clock.monotonicMs()).toBe(120_000);
  });

  test("is advanced through all timers in their order, including timers that are set on the way", async () => {
    const { clock } = make(0);
    const at: number[] = [];
    const again = () => {
      at.push(clock.monotonicMs());
      clock.after(400, again);
    };
    clock.after(400, again);
    const cancelled = clock.after(500, () => at.push(-1));
    clock.after(450, () => cancelled.cancel());
    const advance = await clock.advance(1000, { settle });
    expect(at).toEqual([400, 800]);
    expect(advance).toEqual({ movedMs: 1000, passedOverMs: 0, steps: 3, settled: true, ended: "in full" });
    expect(clock.monotonicMs()).toBe(1000);
  });

  test("stops where a step or a signal ends the advance", async () => {
    const { clock } = make(0);
    for (const delayMs of [100, 200, 300]) clock.after(delayMs, () => {});
    const byStep = await clock.advance(1000, { settle, afterStep: async () => "stop" });
    expect(byStep).toMatchObject({ movedMs: 100, ended: "by a step" });
    const bySignal = await clock.advance(1000, { settle, signal: AbortSignal.abort() });
    expect(bySignal).toMatchObject({ movedMs: 100, ended: "by the signal" });
    expect(clock.monotonicMs()).toBe(200);
  });

  test("reports that the work of a step has not ended", async () => {
    const { clock } = make(0);
    clock.after(1, () => {});
    expect(await clock.advance(5, { settle: async () => false })).toMatchObject({ settled: false, movedMs: 5 });
  });

  test("keeps its pace over an advance, and continues from its end", async () => {
    const { real, clock } = make(2);
    await real.advance(100);
    await clock.advance(1000, { settle });
    expect(clock.monotonicMs()).toBe(1200);
    await real.advance(100);
    expect(clock.monotonicMs()).toBe(1400);
  });

  test("skips quiet time to the next deadline, with heartbeats before other timers", async () => {
    const { clock } = make(0);
    const calls: string[] = [];
    const every = (name: string, periodMs: number, kind: "routine" | "heartbeat") => {
      const tick = () => {
        calls.push(`${name} ${clock.monotonicMs()}`);
        clock.after(periodMs, tick, kind);
      };
      clock.after(periodMs, tick, kind);
    };
    every("look", 5_000, "routine");
    every("beat", 10_000, "heartbeat");
    clock.after(3_600_000, () => calls.push("deadline"));
    const advance = await clock.advance(3_600_000, { settle, isQuiet: () => calls.length > 2 });
    expect(calls).toEqual(["look 5000", "beat 10000", "look 10000", "beat 3600000", "look 3600000", "deadline"]);
    expect(advance).toMatchObject({ movedMs: 3_600_000, passedOverMs: 3_585_000 });
  });

  test("does not skip the deadline of a routine timer", async () => {
    const { clock } = make(0);
    const at: number[] = [];
    clock.after(600_000, () => at.push(clock.monotonicMs()), { routineForMs: 3_600_000 });
    const cancelled = clock.after(600_000, () => at.push(-1), { routineForMs: 1_200_000 });
    cancelled.cancel();
    await clock.advance(7_200_000, { settle, isQuiet: () => true });
    expect(at).toEqual([3_600_000]);
  });

  test("drives the calendar of a clock that measures real time", async () => {
    const { real, clock } = make(0);
    const serving = withWallTimeOf(clock, real);
    await clock.advance(3_600_000, { settle });
    expect(serving.nowMs()).toBe(startMs + 3_600_000);
    expect(serving.monotonicMs()).toBe(real.monotonicMs());
  });
});
