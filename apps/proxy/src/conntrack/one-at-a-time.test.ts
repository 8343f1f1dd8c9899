import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { oneAtATime } from "./one-at-a-time.ts";

/** Work that lasts until the test ends it, and a record of its arguments. */
function aWork() {
  const begun: string[] = [];
  let end = () => {};
  let fail = (_error: Error) => {};
  const ask = oneAtATime((asked: string) => {
    begun.push(asked);
    return new Promise<void>((resolve, reject) => ([end, fail] = [resolve, reject]));
  });
  return { begun, ask, end: () => end(), fail: (why: string) => fail(new Error(why)) };
}

const soon = () => new VirtualClock().settle();

test("requests during a run are served by one further run with the last request", async () => {
  const { begun, ask, end } = aWork();
  const settled: string[] = [];
  const note = (name: string) => () => void settled.push(name);
  void ask("first").then(note("first"));
  await soon();
  void ask("second").then(note("second"));
  void ask("third").then(note("third"));
  await soon();
  expect(begun).toEqual(["first"]);
  end();
  await soon();
  expect({ begun, settled }).toEqual({ begun: ["first", "third"], settled: ["first"] });
  end();
  await soon();
  expect({ begun, settled }).toEqual({ begun: ["first", "third"], settled: ["first", "second", "third"] });
});

test("after a pause a run starts immediately, even after a failure, which only the failed run's callers see", async () => {
  const { begun, ask, end, fail } = aWork();
  const failing = ask("first");
  await soon();
  fail("planted");
  await expect(failing).rejects.toThrow("planted");
  const going = ask("second");
  await soon();
  expect(begun).toEqual(["first", "second"]);
  const waiting = ask("third");
  fail("planted again");
  await expect(going).rejects.toThrow("planted again");
  await soon();
  end();
  await waiting;
  expect(begun).toEqual(["first", "second", "third"]);
});
