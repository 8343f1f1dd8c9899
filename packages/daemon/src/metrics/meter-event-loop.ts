import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers";

/**
 * Calls `observe` with the duration of each turn of the event loop, in seconds, without the time in
 * which the loop waited. The process does not do other work during a turn. The meter ends when
 * `observe` returns false.
 *
 * Each turn ends with its immediates. An immediate without a reference does not keep the loop from
 * waiting, so the meter measures only turns that other work has caused, and never wakes an idle
 * process or keeps it from exiting.
 */
export function meterEventLoop(observe: (seconds: number) => boolean): void {
  let lastMs = performance.now();
  let lastIdleMs = performance.nodeTiming.idleTime;
  const endTurn = () => {
    const nowMs = performance.now();
    const idleMs = performance.nodeTiming.idleTime;
    // The two clocks are read at slightly different times, so their difference may be just below
    // zero.
    const isWanted = observe(Math.max(0, nowMs - lastMs - (idleMs - lastIdleMs)) / 1000);
    if (!isWanted) return;
    lastMs = nowMs;
    lastIdleMs = idleMs;
    setImmediate(endTurn).unref();
  };
  setImmediate(endTurn).unref();
}
