import { VirtualClock } from "@kintsugi/clock/simulated";
import { describe, expect, test } from "vitest";
import { FairQueues, type QueueOptions, type Turn } from "./fair-queues.ts";
import { dealHand } from "./shuffle-shard.ts";

const never = () => new AbortController().signal;

function level(seats: number, options: Partial<QueueOptions> = {}) {
  const clock = new VirtualClock();
  const queuing = { queues: 64, handSize: 6, queueLengthMax: 50 };
  const queues = new FairQueues(clock, seats, { queuing, waitMaxMs: 15_000, ...options });
  /** Sends a request that takes `ms` to serve, and resolves with the time that it waited. */
  const send = async (flow: string, ms: number, width = 1): Promise<number | string> => {
    const turn = await queues.enter(flow, width, never);
    if ("rejected" in turn) return turn.rejected;
    await clock.sleep(ms);
    turn.seat.leave();
    return turn.waitedMs;
  };
  return { clock, queues, send };
}

test("a flow always has the same hand, and the queues of a hand are distinct", () => {
  const hand = dealHand("schema/alice", 64, 6);
  expect(dealHand("schema/alice", 64, 6)).toEqual(hand);
  expect(new Set(hand).size).toBe(6);
  expect(hand.every((queue) => queue >= 0 && queue < 64)).toBe(true);
  expect(dealHand("schema/bob", 64, 6)).not.toEqual(hand);
  expect(dealHand("x", 3, 3).toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
});

describe("a priority level", () => {
  test("serves as many requests as it has seats, and the rest in the order of their flow", async () => {
    const { clock, queues, send } = level(2, { queuing: { queues: 1, handSize: 1, queueLengthMax: 50 } });
    const waits = Promise.all(Array.from({ length: 6 }, () => send("a", 100)));
    await clock.advance(1);
    expect([queues.seatsInUse, queues.waitingCount]).toEqual([2, 4]);
    await clock.advance(400);
    expect(await waits).toEqual([0, 0, 100, 100, 200, 200]);
    expect([queues.seatsInUse, queues.waitingCount]).toEqual([0, 0]);
  });

  test("rejects requests that exceed its queues, that wait too long, or that have no queues", async () => {
    const short = level(1, { queuing: { queues: 1, handSize: 1, queueLengthMax: 1 }, waitMaxMs: 500 });
    const results = Promise.all([short.send("a", 1000), short.send("a", 1), short.send("a", 1)]);
    await short.clock.advance(2000);
    expect(await results).toEqual([0, "time-out", "queue-full"]);
    const none = level(1, { queuing: undefined });
    const both = Promise.all([none.send("a", 10), none.send("a", 10)]);
    await none.clock.advance(20);
    expect(await both).toEqual([0, "concurrency-limit"]);
  });

  test("does not give a seat to a client that has disconnected", async () => {
    const { clock, queues, send } = level(1);
    const first = send("a", 100);
    const leaving = new AbortController();
    const turn = queues.enter("a", 1, () => leaving.signal) as Promise<Turn>;
    leaving.abort(new Error("gone"));
    expect(await turn).toEqual({ rejected: "cancelled" });
    await clock.advance(200);
    expect([await first, queues.seatsInUse, queues.waitingCount]).toEqual([0, 0, 0]);
  });

  test("gives a wide request as many seats as it needs, and all seats to a request that is wider than the level", async () => {
    const { clock, queues, send } = level(4);
    const waits = Promise.all([send("a", 100, 3), send("b", 100, 3), send("c", 100, 9)]);
    await clock.advance(1);
    expect(queues.seatsInUse).toBe(3);
    await clock.advance(400);
    expect(((await waits) as number[]).toSorted((a, b) => a - b)).toEqual([0, 100, 200]);
  });

  /** The longest wait of a quiet flow next to a flow that wants twice the seats. */
  async function longestQuietWait(queuing: QueueOptions["queuing"]): Promise<number> {
    const { clock, send } = level(10, { queuing });
    const quiet: Promise<number | string>[] = [];
    for (let second = 0; second < 20; second++) {
      for (let i = 0; i < 200; i++) void send("noisy", 100);
      await clock.advance(500);
      quiet.push(send("quiet", 100));
      await clock.advance(500);
    }
    await clock.advance(60_000);
    const waits = await Promise.all(quiet);
    return Math.max(...waits.map((wait) => (typeof wait === "number" ? wait : Infinity)));
  }

  test("serves a flow with few requests soon, however many requests another flow sends", async () => {
    // The hand of the noisy flow has six queues, so the quiet flow waits for two turns at most.
    expect(await longestQuietWait({ queues: 64, handSize: 6, queueLengthMax: 50 })).toBeLessThanOrEqual(200);
    // The quiet flow waits behind all requests of the noisy flow when all share one queue.
    const one = await longestQuietWait({ queues: 1, handSize: 1, queueLengthMax: 300 });
    expect(one).toBeGreaterThan(2000);
  });

  test("divides its seats among busy flows by the duration of their requests", async () => {
    const { clock, send } = level(10, { queuing: { queues: 1024, handSize: 1, queueLengthMax: 5000 }, waitMaxMs: 1e6 });
    const served = { short: 0, long: 0 };
    for (let i = 0; i < 3000; i++) void send("short", 10).then(() => (served.short += 10));
    for (let i = 0; i < 300; i++) void send("long", 100).then(() => (served.long += 100));
    await clock.advance(3000);
    expect(served.short / served.long).toBeGreaterThan(0.85);
    expect(served.short / served.long).toBeLessThan(1.2);
  });
});
