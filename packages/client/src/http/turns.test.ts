import { systemClock } from "@kintsugi/clock";
import { expect, test } from "vitest";
import { CallLimits } from "../rest/call-limits.ts";
import { Turns } from "./turns.ts";

test("waiting calls start in the order of their arrival, and a cancelled call never starts", async () => {
  const { turns, begun, enter } = someTurns(2);
  enter("a");
  enter("b");
  const [c, d, e] = [enter("c"), enter("d"), enter("e")];
  await Promise.resolve();
  expect(begun).toEqual(["a", "b"]);
  d.limits.cancel(new Error("too late"));
  await expect(d.entered).rejects.toThrow("too late");
  turns.leave();
  await c.entered;
  turns.leave();
  await e.entered;
  expect(begun).toEqual(["a", "b", "c", "e"]);
  expect(turns.areTaken).toBe(true);
  turns.leave();
  turns.leave();
  expect(turns.areTaken).toBe(false);
  await enter("f").entered;
  expect(begun.slice(4)).toEqual(["f"]);
});

test("among many waiting calls the newest starts first, until they are few", async () => {
  const { turns, begun, enter } = someTurns(1);
  enter("first");
  const waiting = [1, 2, 3, 4, 5, 6].map((number) => enter(String(number)));
  waiting[4]?.limits.cancel(new Error("too late"));
  await expect(waiting[4]?.entered).rejects.toThrow("too late");
  for (let i = 0; i < 5; i++) {
    turns.leave();
    await Promise.resolve();
    await Promise.resolve();
  }
  expect(begun).toEqual(["first", "6", "1", "2", "3", "4"]);
});

test("calls that arrive and are cancelled repeatedly leave nothing behind", async () => {
  const { turns, enter } = someTurns(1);
  enter("first");
  const stays = enter("stays");
  for (let i = 0; i < 100; i++) {
    const { limits, entered } = enter(`late ${i}`);
    limits.cancel(new Error("too late"));
    await entered.catch(() => {});
  }
  turns.leave();
  await stays.entered;
  turns.leave();
  expect(turns.areTaken).toBe(false);
});

function someTurns(runningMax: number) {
  const turns = new Turns(runningMax);
  const begun: string[] = [];
  return {
    turns,
    begun,
    enter: (name: string) => {
      const limits = new CallLimits(systemClock, undefined);
      const entered = turns.enter(limits).then(() => void begun.push(name));
      return { limits, entered };
    },
  };
}
