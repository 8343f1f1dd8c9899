import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers";

/**
 * Calls `observe` with the time of each turn of the event loop, in seconds, without the time in
 * which the loop waited: no other work of the process is done in the meantime. The meter ends when
 * `observe` returns false.
 *
 * Each turn ends with its immediates. One without a reference does not keep the loop from waiting,
 * so the meter looks once a turn that other work has caused, and never wakes an idle process or
 * keeps it from its end.
 */
export function meterEventLoop(observe: (seconds: number) => boolean): void {
  let lastMs = performance.now();
  let lastIdleMs = performance.nodeTiming.idleTime;
  const endTurn = () => {
    const nowMs = performance.now();
    const idleMs = performance.nodeTiming.idleTime;
    // The two clocks are read one after the other, so their difference may be just below zero.
    const isWanted = observe(Math.max(0, nowMs - lastMs - (idleMs - lastIdleMs)) / 1000);
    if (!isWanted) return;
    lastMs = nowMs;
    lastIdleMs = idleMs;
    setImmediate(endTurn).unref();
  };
  setImmediate(endTurn).unref();
}
