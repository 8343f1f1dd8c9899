import { type Clock, sleepOn, type Timer } from "./clock.ts";

/** Node caps a timer at 2^31-1 ms (24.8 days); longer waits are chained. */
const timerDelayMaxMs = 2 ** 31 - 1;

/** The machine's clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after,
  sleep: (delayMs, signal) => sleepOn(systemClock, delayMs, { signal }),
  nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
};

function after(delayMs: number, callback: () => void): Timer {
  if (delayMs > timerDelayMaxMs) {
    let timer = after(timerDelayMaxMs, () => (timer = after(delayMs - timerDelayMaxMs, callback)));
    return { cancel: () => timer.cancel() };
  }
  const handle = setTimeout(callback, Math.max(delayMs, 0));
  return { cancel: () => clearTimeout(handle) };
}
