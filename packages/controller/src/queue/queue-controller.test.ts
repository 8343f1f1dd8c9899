import { ApiError, silentLogger, silentMetrics } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { describe, expect, test } from "vitest";
import { QueueController, type QueueControllerOptions } from "./queue-controller.ts";
import { done, type ReconcileResult } from "../reconciler.ts";

type Reconcile = (key: string, signal: AbortSignal) => Promise<ReconcileResult>;

function start(reconcile: Reconcile, options: Partial<QueueControllerOptions & { allKeys: () => string[] }> = {}) {
  const clock = new VirtualClock({ startMs: 0 });
  const calls: string[] = [];
  const { allKeys, ...rest } = options;
  let returned = () => {};
  const controller = new QueueController(
    {
      client: { onReturn: (handler) => ((returned = handler), () => (returned = () => {})) },
      clock,
      log: silentLogger,
      metrics: silentMetrics,
      reconciler: {
        reconcile: (key, signal) => {
          calls.push(`${clock.monotonicMs()} ${key}`);
          return reconcile(key, signal);
        },
      },
      ...(allKeys ? { allKeys } : {}),
    },
    { name: "test", ...rest },
  );
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  return { clock, calls, controller, stop, running, returns: () => returned() };
}

describe("a queue controller", () => {
  test("reconciles a key again exactly when its reconciler requested it", async () => {
    const { clock, calls, controller } = start(async () => ({ retryAfterMs: 1500 }));
    controller.enqueue("a");
    await clock.advance(3200);
    expect(calls).toEqual(["0 a", "1500 a", "3000 a"]);
  });

  test("does not reconcile a resting key, whatever changes, until its rest has ended", async () => {
    const { clock, controller, calls } = start(() => Promise.resolve({ done: true, restMs: 200 }));
    for (let i = 0; i < 30; i++) {
      controller.enqueue("a");
      await clock.advance(10);
    }
    expect(calls).toEqual(["0 a", "200 a"]);
  });

  test("retries failed keys immediately when the server returns", async () => {
    let isAway = true;
    const { clock, calls, controller, returns } = start(() => {
      if (isAway) throw new Error("connection refused");
      return Promise.resolve(done);
    });
    controller.enqueue("a");
    await clock.advance(400_000);
    const failed = calls.length;
    isAway = false;
    returns();
    await clock.advance(0);
    expect(calls.slice(failed)).toEqual(["400000 a"]);
  });

  test("delays a key whose reconcile throws, even synchronously, and no other key", async () => {
    const { clock, calls, controller } = start(
      (key) => {
        if (key === "poison") throw new TypeError("cannot read properties of undefined");
        return Promise.resolve(done);
      },
      { workers: 1 },
    );
    controller.enqueue("poison");
    for (const key of ["a", "b"]) controller.enqueue(key);
    await clock.advance(0);
    expect(calls).toEqual(["0 poison", "0 a", "0 b"]);
    await clock.advance(100);
    expect(calls.filter((call) => call.includes("poison"))).toEqual([
      "0 poison",
      "5 poison",
      "15 poison",
      "35 poison",
      "75 poison",
    ]);
  });

  test("resets a key's back-off after a success", async () => {
    let failing = true;
    const { clock, calls, controller } = start(() =>
      failing ? Promise.reject(new ApiError("Conflict", "try again")) : Promise.resolve(done),
    );
    controller.enqueue("a");
    await clock.advance(20);
    failing = false;
    await clock.advance(20);
    failing = true;
    controller.enqueue("a");
    await clock.advance(6);
    expect(calls).toEqual(["0 a", "5 a", "15 a", "35 a", "40 a", "45 a"]);
  });

  test("never reconciles one key twice at a time, and reconciles others in the meantime", async () => {
    let running = 0;
    let runningMost = 0;
    const { clock, calls, controller } = start(async (key) => {
      if (key === "a") {
        running++;
        runningMost = Math.max(runningMost, running);
        await clock.sleep(100);
        running--;
      }
      return done;
    });
    controller.enqueue("a");
    await clock.advance(10);
    controller.enqueue("a");
    controller.enqueue("b");
    await clock.advance(300);
    expect(runningMost).toBe(1);
    expect(calls).toEqual(["0 a", "10 b", "100 a"]);
  });

  test("aborts a reconcile that hangs, so that its worker continues", async () => {
    const { clock, calls, controller } = start(
      (key, signal) => (key === "a" ? clock.sleep(1_000_000, signal).then(() => done) : Promise.resolve(done)),
      { workers: 1, reconcileTimeLimitMs: 60_000 },
    );
    controller.enqueue("a");
    controller.enqueue("b");
    await clock.advance(60_000);
    expect(calls).toEqual(["0 a", "60000 b"]);
  });

  test("reconciles all keys after its queue rejected some", async () => {
    const all = Array.from({ length: 10 }, (_, i) => `k${i}`);
    const { clock, calls, controller } = start(async () => done, { keysMax: 3, workers: 2, allKeys: () => all });
    for (const key of all) controller.enqueue(key);
    await clock.advance(1);
    expect(new Set(calls.map((call) => call.split(" ")[1]))).toEqual(new Set(all));
  });

  test("ends on its signal after the present reconcile, and retries nothing", async () => {
    const { clock, calls, controller, stop, running } = start(async (_key, signal) => {
      await clock.sleep(50, signal);
      return done;
    });
    controller.enqueue("a");
    await clock.advance(10);
    stop.abort(new Error("stop"));
    await running;
    controller.enqueue("a");
    await clock.advance(1000);
    expect(calls).toEqual(["0 a"]);
    expect(clock.pendingTimers()).toBe(0);
  });
});
