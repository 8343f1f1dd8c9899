import { VirtualClock } from "@kintsugi/clock/simulated";
import { describe, expect, test } from "vitest";
import { EvictionLimiter } from "./eviction-limiter.ts";

function open() {
  const clock = new VirtualClock();
  return { clock, limiter: new EvictionLimiter({ clock }, { defaultRatePerSecond: 0.1 }) };
}

describe("the eviction limiter", () => {
  test("evicts a zone's first node immediately and the next node ten seconds later, in order of requests", async () => {
    const { clock, limiter } = open();
    expect(limiter.request("a", "n1")).toEqual({ granted: true });
    expect(limiter.request("a", "n2")).toEqual({ granted: false, retryAfterMs: 10_000 });
    expect(limiter.request("a", "n3")).toEqual({ granted: false, retryAfterMs: 20_000 });
    await clock.advance(9999);
    expect(limiter.request("a", "n2")).toEqual({ granted: false, retryAfterMs: 1 });
    await clock.advance(1);
    expect(limiter.request("a", "n3")).toEqual({ granted: false, retryAfterMs: 10_000 });
    expect(limiter.request("a", "n2")).toEqual({ granted: true });
  });

  test("limits each zone separately", () => {
    const { limiter } = open();
    expect(limiter.request("a", "n1")).toEqual({ granted: true });
    expect(limiter.request("b", "n2")).toEqual({ granted: true });
  });

  test("accumulates at most one token", async () => {
    const { clock, limiter } = open();
    await clock.advance(3_600_000);
    expect(limiter.request("a", "n1")).toEqual({ granted: true });
    expect(limiter.request("a", "n2").granted).toBe(false);
  });

  test("does not evict a node at rate 0, and does not have a token when a rate returns", async () => {
    const { clock, limiter } = open();
    limiter.request("a", "n1");
    limiter.setRate("a", 0);
    await clock.advance(60_000);
    expect(limiter.request("a", "n2")).toEqual({ granted: false, retryAfterMs: undefined });
    limiter.setRate("a", 0.1);
    expect(limiter.request("a", "n2")).toEqual({ granted: false, retryAfterMs: 10_000 });
    await clock.advance(10_000);
    expect(limiter.request("a", "n2")).toEqual({ granted: true });
  });

  test("does not wait for a node that has returned", async () => {
    const { clock, limiter } = open();
    limiter.request("a", "n1");
    limiter.request("a", "n2");
    limiter.request("a", "n3");
    limiter.withdraw("a", "n2");
    await clock.advance(10_000);
    expect(limiter.request("a", "n3")).toEqual({ granted: true });
  });
});
