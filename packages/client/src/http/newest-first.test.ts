import { systemClock } from "@kintsugi/clock";
import { expect, test } from "vitest";
import { CallLimits } from "../rest/call-limits.ts";
import { NewestFirst } from "./newest-first.ts";

test("the newest of the calls that wait begins first, and one that is cancelled never does", async () => {
  const turns = new NewestFirst(2);
  const begun: string[] = [];
  const enter = (name: string) => {
    const limits = new CallLimits(systemClock, undefined);
    const entered = turns.enter(limits).then(() => void begun.push(name));
    return { limits, entered };
  };
  enter("a");
  enter("b");
  const [c, d, e] = [enter("c"), enter("d"), enter("e")];
  await Promise.resolve();
  expect(begun).toEqual(["a", "b"]);
  d.limits.cancel(new Error("too late"));
  await expect(d.entered).rejects.toThrow("too late");
  turns.leave();
  await e.entered;
  expect(begun).toEqual(["a", "b", "e"]);
  turns.leave();
  await c.entered;
  expect(begun).toEqual(["a", "b", "e", "c"]);
  turns.leave();
  turns.leave();
  await enter("f").entered;
  await enter("g").entered;
  expect(begun.slice(4)).toEqual(["f", "g"]);
});
