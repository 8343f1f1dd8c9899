import { timedOut } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { loadClassOf } from "../in-flight.ts";
import { isLongRunning } from "../long-running.ts";
import type { RequestStage } from "./stage.ts";

/**
 * Limits the number of requests in flight and their duration. Only requests whose body has been
 * read count as in flight, so a slow upload does not use a slot.
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

/** A request that takes too long gets an answer. Whether its write is committed is then unknown. */
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
