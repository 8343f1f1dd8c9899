import type { Clock } from "@kintsugi/clock";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { type Incarnation, mortal } from "./incarnation.ts";
import { MachineClock } from "./machine-clock.ts";
import { VirtualProcess } from "./virtual-process.ts";

function startProcess(run: (clock: Clock, incarnation: Incarnation) => Promise<void>) {
  const clock = new VirtualClock();
  const deaths: unknown[] = [];
  const process = new VirtualProcess(
    {
      clock,
      run: (_, incarnation, ownClock) => run(ownClock, incarnation),
      onDeath: ({ error }) => deaths.push(error),
    },
    { name: "service" },
  );
  process.start();
  return { clock, process, deaths };
}

async function ticker(clock: Clock, ticks: number[]): Promise<void> {
  for (;;) {
    await clock.sleep(1000);
    ticks.push(clock.monotonicMs());
  }
}

test("the timers of a paused process are due when it continues", async () => {
  const ticks: number[] = [];
  const { clock, process } = startProcess((own) => ticker(own, ticks));
  await clock.advance(1500);
  const resume = process.pause();
  await clock.advance(5000);
  expect(ticks).toEqual([1000]);
  resume?.();
  await clock.advance(1000);
  expect(ticks).toEqual([1000, 6500, 7500]);
});

test("messages for a paused process wait in order, and are never delivered if it is killed in the meantime", async () => {
  const heard: string[] = [];
  const { clock, process } = startProcess(async (own, incarnation) => {
    const world = mortal({ ask: async (word: string) => word }, incarnation);
    incarnation.onEnd(() => heard.push("end"));
    await own.sleep(10);
    void world.ask("first").then((word) => heard.push(word));
    process.pause();
    await world.ask("second").then((word) => heard.push(word));
  });
  await clock.advance(100);
  expect(heard).toEqual([]);
  process.kill();
  await clock.advance(100);
  expect(heard).toEqual(["end"]);
});

test("no timer of a killed process fires, and its successor has none of its timers", async () => {
  const ticks: number[] = [];
  const { clock, process } = startProcess((own) => ticker(own, ticks));
  await clock.advance(1500);
  process.kill();
  await clock.advance(3000);
  process.start();
  await clock.advance(1500);
  expect(ticks).toEqual([1000, 5500]);
});

test("a process that crashes by itself is reported and restarted", async () => {
  let runs = 0;
  const { clock, deaths, process } = startProcess(async (own) => {
    runs++;
    await own.sleep(100);
    throw new Error("broken");
  });
  await clock.advance(1150);
  expect([runs, deaths.length, process.isRunning]).toEqual([2, 1, true]);
});

test("a machine's clock may be wrong, fast or slow, and then correct again", async () => {
  const clock = new VirtualClock({ startMs: 0 });
  const machine = new MachineClock(clock);
  machine.jumpWallTime(3_600_000);
  await clock.advance(1000);
  expect([machine.nowMs(), machine.monotonicMs()]).toEqual([3_601_000, 1000]);
  machine.setRate(1.25);
  const firedMs: number[] = [];
  machine.after(1000, () => firedMs.push(clock.monotonicMs()));
  await clock.advance(2000);
  expect(firedMs).toEqual([1800]);
  expect(machine.monotonicMs()).toBe(3500);
  machine.setRate(1);
  machine.jumpWallTime(-3_600_000);
  await clock.advance(500);
  expect([machine.monotonicMs(), machine.nowMs()]).toEqual([4000, 4000]);
});

test("a killed process is stopped without waiting for work that never ends", async () => {
  const { clock, process } = startProcess((own) => own.sleep(1000));
  await clock.advance(500);
  process.kill();
  await process.stop();
  expect(process.isRunning).toBe(false);
});
