import { timedOut } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { loadClassOf } from "../in-flight.ts";
import { isLongRunning } from "../long-running.ts";
import type { RequestStage } from "./stage.ts";

/**
 * Answers within the limits: so many requests in flight, each in its time. Only requests whose body
 * is there count as in flight: a slow upload takes no place from others.
 */
export const routing: RequestStage = async (deps, { request, info, user }) => {
  const load = loadClassOf(info, deps.registry);
  const full = deps.limit.enter(load);
  if (full !== undefined) {
    deps.metrics.refused(info, full.code);
    throw full;
  }
  try {
    const answer = deps.routes(request, info, user);
    if (!(answer instanceof Promise)) return answer;
    return isLongRunning(info) ? await answer : await inTime(deps.clock, answer, deps.requestTimeoutMs);
  } finally {
    deps.limit.leave(load);
  }
};

/** A request that takes too long is answered; whether its write happens is then unknown. */
function inTime<T>(clock: Clock, answer: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(timeoutMs, () =>
      reject(timedOut("request did not complete within the allotted timeout; a write may or may not have happened")),
    );
    answer.then(
      (value) => {
        timer.cancel();
        resolve(value);
      },
      (error: unknown) => {
        timer.cancel();
        reject(error as Error);
      },
    );
  });
}
