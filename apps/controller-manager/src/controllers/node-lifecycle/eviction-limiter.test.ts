import { VirtualClock } from "@kintsugi/clock/testing";
import { describe, expect, test } from "vitest";
import { EvictionLimiter } from "./eviction-limiter.ts";

function open() {
  const clock = new VirtualClock();
  return { clock, limiter: new EvictionLimiter({ clock }, { defaultRatePerSecond: 0.1 }) };
}

describe("the eviction limiter", () => {
  test("lets a zone's first node go immediately and the next ten seconds later, in the order they asked", async () => {
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

  test("gives every zone its own turn", () => {
    const { limiter } = open();
    expect(limiter.request("a", "n1")).toEqual({ granted: true });
    expect(limiter.request("b", "n2")).toEqual({ granted: true });
  });

  test("saves up no more than one turn", async () => {
    const { clock, limiter } = open();
    await clock.advance(3_600_000);
    expect(limiter.request("a", "n1")).toEqual({ granted: true });
    expect(limiter.request("a", "n2").granted).toBe(false);
  });

  test("lets nobody go at rate 0, and starts from nothing when a rate returns", async () => {
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

  test("does not wait for a node that came back", async () => {
    const { clock, limiter } = open();
    limiter.request("a", "n1");
    limiter.request("a", "n2");
    limiter.request("a", "n3");
    limiter.withdraw("a", "n2");
    await clock.advance(10_000);
    expect(limiter.request("a", "n3")).toEqual({ granted: true });
  });
});
