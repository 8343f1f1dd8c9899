import { expect, test } from "vitest";
import { Holds } from "./holds.ts";

test("a target of several holds is released with the last hold, and a double release counts once", async () => {
  const holds = new Holds();
  const thing = {};
  const heard: string[] = [];
  const act = { down: () => void heard.push("down"), up: () => void heard.push("up") };
  const first = await holds.hold(thing, act);
  const second = await holds.hold(thing, act);
  first();
  first();
  expect([heard, holds.isHeld(thing)]).toEqual([["down"], true]);
  second();
  expect([heard, holds.isHeld(thing)]).toEqual([["down", "up"], false]);
});
