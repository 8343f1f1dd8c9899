import { ApiError } from "@kintsugi/api";
import { ConnectionError } from "@kintsugi/client";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { describe, expect, test } from "vitest";
import { podInfo } from "@kintsugi/scheduling/testing";
import type { QueuedPod } from "../queue/queued-pod.ts";
import { type BindOutcome, bindOutcome } from "./bind.ts";
import { Confirmations } from "./confirmations.ts";
import { InFlight } from "./in-flight.ts";

describe("the outcome of an unconfirmed binding", () => {
  const connection = (outcomeUnknown: boolean) => new ConnectionError("reset", { operation: "POST", outcomeUnknown });

  test.each<[string, Error, Partial<BindOutcome>]>([
    ["another scheduler has bound it", new ApiError("Conflict", "bound"), { is: "unclear", mayBeOurs: false }],
    ["the pod is deleted", new ApiError("NotFound", "gone"), { is: "unclear", mayBeOurs: false }],
    ["the server failed during the write", new ApiError("InternalError", "disk"), { is: "unclear", mayBeOurs: true }],
    ["the server took too long", new ApiError("Timeout", "slow"), { is: "unclear", mayBeOurs: true }],
    ["the answer was lost", connection(true), { is: "unclear", mayBeOurs: true }],
    ["the server was missing", connection(false), { is: "failed" }],
    ["it is forbidden", new ApiError("Forbidden", "no"), { is: "failed" }],
    ["it is rate-limited", new ApiError("TooManyRequests", "later"), { is: "failed" }],
  ])("%s", (_, error, expected) => {
    expect(bindOutcome(error)).toMatchObject(expected);
  });
});

describe("bound pods that are not confirmed yet", () => {
  test("are reported once their time is over, oldest first", async () => {
    const clock = new VirtualClock();
    const overdue: string[] = [];
    const confirmations = new Confirmations(clock, ({ pod }) => overdue.push(pod.key));
    confirmations.expect(queued("a"));
    await clock.advance(10_000);
    confirmations.expect(queued("b"));
    await clock.advance(19_999);
    expect(overdue).toEqual([]);
    await clock.advance(1);
    expect(overdue).toEqual(["default/a"]);
    await clock.advance(10_000);
    expect(overdue).toEqual(["default/a", "default/b"]);
    expect(clock.pendingTimers()).toBe(0);
  });

  test("are dropped when they are confirmed, with nothing left to wait for", async () => {
    const clock = new VirtualClock();
    const overdue: string[] = [];
    const confirmations = new Confirmations(clock, ({ pod }) => overdue.push(pod.key));
    confirmations.expect(queued("a"));
    confirmations.expect(queued("b"));
    confirmations.confirm("uid-a");
    await clock.advance(29_000);
    confirmations.expect(queued("c"));
    await clock.advance(1_000);
    expect(overdue).toEqual(["default/b"]);
    confirmations.confirm("uid-c");
    expect(clock.pendingTimers()).toBe(0);
  });

  test("are no longer reported after the stop", async () => {
    const clock = new VirtualClock();
    const overdue: string[] = [];
    const confirmations = new Confirmations(clock, ({ pod }) => overdue.push(pod.key));
    confirmations.expect(queued("a"));
    confirmations.stop();
    await clock.advance(60_000);
    expect(overdue).toEqual([]);
  });
});

test("the number of bindings in flight is limited, and the stop waits for them", async () => {
  const inFlight = new InFlight(2);
  const ends: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => ends.push(resolve));
  inFlight.add(work());
  inFlight.add(work());
  let hasRoom = false;
  const waiting = inFlight.waitForRoom().then(() => (hasRoom = true));
  await Promise.resolve();
  expect(hasRoom).toBe(false);
  ends[0]?.();
  await waiting;
  expect(inFlight.count).toBe(1);
  ends[1]?.();
  await inFlight.settled();
  expect(inFlight.count).toBe(0);
});

function queued(name: string): QueuedPod {
  const times = { addedMs: 0, firstAttemptMs: 0, readyMs: 0, failedMs: 0, backoffUntilMs: 0 };
  return { pod: podInfo(name), attempts: 1, order: 0, rejectedBy: new Set(), ...times };
}
