import type { Logger } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { provideObjects } from "./provide-objects.ts";

function world(failuresMax: number) {
  const clock = new VirtualClock();
  const warnings: string[] = [];
  const log = { warn: (message: string) => warnings.push(message) } as unknown as Logger;
  let tries = 0;
  const provide = async () => {
    tries++;
    if (tries <= failuresMax) throw new Error("connection refused");
  };
  const stop = new AbortController();
  const done = provideObjects({ clock, log }, { what: "StorageClass", provide }, stop.signal);
  return { clock, warnings, tries: () => tries, stop, done };
}

test("a server that is still starting receives the objects once, when it is reachable", async () => {
  const { clock, warnings, tries, done } = world(3);
  await clock.advance(60_000);
  await done;
  expect(tries()).toBe(4);
  expect(warnings).toEqual([]);
});

test("a server that fails for long is abandoned with a warning", async () => {
  const { clock, warnings, tries, done } = world(Number.POSITIVE_INFINITY);
  await clock.advance(10 * 60_000);
  await done;
  expect(tries()).toBe(150);
  expect(warnings).toEqual(["there is no StorageClass"]);
});

test("a supervisor that is stopped retries nothing", async () => {
  const { clock, tries, stop, done } = world(Number.POSITIVE_INFINITY);
  await clock.advance(3_000);
  stop.abort();
  await done;
  await clock.advance(60_000);
  expect(tries()).toBe(2);
});
