import { expect, test } from "vitest";
import { onAbort, untilAborted } from "./on-abort.ts";
import { systemClock } from "./system-clock.ts";

test("listeners are called once in order, and not after their removal", () => {
  const controller = new AbortController();
  const called: string[] = [];
  const listen = (name: string) => onAbort(controller.signal, () => called.push(name));
  listen("first");
  const stop = listen("stopped");
  listen("last");
  stop();
  stop();
  controller.abort();
  expect(called).toEqual(["first", "last"]);
});

test("a function may be added twice, and each removal removes one", () => {
  const controller = new AbortController();
  let calls = 0;
  const listener = () => calls++;
  onAbort(controller.signal, listener);
  onAbort(controller.signal, listener)();
  controller.abort();
  expect(calls).toBe(1);
});

test("an aborted signal calls no listener, as in addEventListener", () => {
  let called = false;
  onAbort(AbortSignal.abort(), () => (called = true))();
  expect(called).toBe(false);
});

test("a thousand listeners of one signal raise no warning", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on("warning", onWarning);
  const { signal } = new AbortController();
  for (let i = 0; i < 1000; i++) onAbort(signal, () => {});
  await systemClock.nextTurn();
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});

test("a wait for a signal ends when it aborts, and immediately if it has aborted", async () => {
  const controller = new AbortController();
  let isOver = false;
  const waiting = untilAborted(controller.signal).then(() => (isOver = true));
  await Promise.resolve();
  expect(isOver).toBe(false);
  controller.abort();
  await waiting;
  await untilAborted(controller.signal);
});
