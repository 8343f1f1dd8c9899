import { VirtualClock } from "@kintsugi/clock/simulated";
import { describe, expect, test } from "vitest";
import { Expectations } from "./expectations.ts";

function open() {
  const clock = new VirtualClock();
  return { clock, expectations: new Expectations({ clock }) };
}

describe("expectations", () => {
  test("are fulfilled at the start and once every creation and deletion has been observed", () => {
    const { expectations } = open();
    expect(expectations.state("rs")).toEqual({ state: "fulfilled" });
    expectations.expectCreation("rs", "web-a");
    expectations.expectCreation("rs", "web-b");
    expectations.expectDeletion("rs", "uid-1");
    expectations.creationObserved("rs", "web-a");
    expectations.deletionObserved("rs", "uid-1");
    expect(expectations.state("rs").state).toBe("pending");
    expectations.creationObserved("rs", "web-b");
    expect(expectations.state("rs")).toEqual({ state: "fulfilled" });
  });

  test("do not count objects that others created or deleted, or an object twice", () => {
    const { expectations } = open();
    expectations.expectCreation("rs", "web-a");
    expectations.expectCreation("rs", "web-b");
    expectations.creationObserved("rs", "by-hand");
    expectations.creationObserved("rs", "web-a");
    expectations.creationObserved("rs", "web-a");
    expectations.deletionObserved("rs", "uid-of-another");
    expect(expectations.state("rs").state).toBe("pending");
  });

  test("expire five minutes after the last write, and then hold until they are reset", async () => {
    const { clock, expectations } = open();
    expectations.expectCreation("rs", "web-a");
    await clock.advance(60_000);
    expectations.expectCreation("rs", "web-b");
    await clock.advance(299_999);
    expect(expectations.state("rs")).toEqual({ state: "pending", expiresInMs: 1 });
    await clock.advance(1);
    expect(expectations.state("rs")).toEqual({ state: "expired" });
    await clock.advance(3_600_000);
    expect(expectations.state("rs")).toEqual({ state: "expired" });
    expectations.reset("rs");
    expect(expectations.state("rs")).toEqual({ state: "fulfilled" });
  });

  test("of completed writes are awaited once more", async () => {
    const { clock, expectations } = open();
    expectations.expectCreation("rs", "web-a");
    await clock.advance(300_000);
    expectations.renew("rs");
    expectations.renew("other");
    expect(expectations.state("rs")).toEqual({ state: "pending", expiresInMs: 300_000 });
    expect(expectations.state("other")).toEqual({ state: "fulfilled" });
  });

  test("of one key do not affect another key", () => {
    const { expectations } = open();
    expectations.expectCreation("rs", "web-a");
    expect(expectations.state("other")).toEqual({ state: "fulfilled" });
  });
});
