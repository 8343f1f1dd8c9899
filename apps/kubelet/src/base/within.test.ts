import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { TimeIsUp, within } from "./within.ts";

const never = () => new Promise<never>(() => {});

test("a call that ignores its signal is not awaited beyond its time limit", async () => {
  const clock = new VirtualClock();
  const called = within(clock, { timeoutMs: 5_000 }, never).catch((error: unknown) => error);
  await clock.advance(5_000);
  expect(await called).toBeInstanceOf(TimeIsUp);
});

test("a call ends with its caller's signal or at its time limit", async () => {
  const clock = new VirtualClock();
  const caller = new AbortController();
  const seen: AbortSignal[] = [];
  const call = (signal: AbortSignal) => {
    seen.push(signal);
    return new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error("ended")));
    });
  };
  const first = within(clock, { timeoutMs: 5_000, signal: caller.signal }, call).catch((error: unknown) => error);
  caller.abort();
  expect(await first).toEqual(new Error("ended"));
  const second = within(clock, { timeoutMs: 5_000 }, call).catch((error: unknown) => error);
  await clock.advance(5_000);
  expect(await second).toBeInstanceOf(TimeIsUp);
  expect(seen.map(({ aborted }) => aborted)).toEqual([true, true]);
});

test("a result in time is returned, and leaves no timer", async () => {
  const clock = new VirtualClock();
  expect(await within(clock, { timeoutMs: 5_000 }, () => Promise.resolve(7))).toBe(7);
});
