import { type Clock, sleepOn } from "../clock.ts";

/**
 * A clock that measures durations like `real` and returns wall time like `calendar`, for a server
 * whose requests take real time in a world whose calendar is moved.
 */
export function withWallTimeOf(calendar: Pick<Clock, "nowMs">, real: Clock): Clock {
  const clock: Clock = {
    nowMs: () => calendar.nowMs(),
    monotonicMs: () => real.monotonicMs(),
    after: (delayMs, callback) => real.after(delayMs, callback),
    sleep: (delayMs, signal) => sleepOn(clock, delayMs, { signal }),
    nextTurn: () => real.nextTurn(),
  };
  return clock;
}
